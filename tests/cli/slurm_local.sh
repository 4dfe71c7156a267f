#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A Slurm cluster of two nodes on this one machine, for tests of the engine `slurm`.
#   slurm_local.sh start DIR | stop DIR | env DIR
# Needs (Debian 12): slurmctld slurmd slurm-client munge.  Run as root.  Nothing outside DIR is written.
set -eu
verb=$1; dir=$(mkdir -p "$2" && cd "$2" && pwd); host=$(hostname -s)
export SLURM_CONF=$dir/slurm.conf

configure() {
  mkdir -p "$dir"/{state,spool.n1,spool.n2,log,munge}
  [ -f "$dir/munge/key" ] || dd if=/dev/urandom of="$dir/munge/key" bs=1 count=1024 status=none
  chmod 700 "$dir/munge"; chmod 400 "$dir/munge/key"
  cat >"$SLURM_CONF" <<CONF
ClusterName=torsor
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool.%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
MpiDefault=none
ReturnToService=2
MaxArraySize=20001
MaxJobCount=40000
MinJobAge=300
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17001 CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17002 CPUs=1 State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
  printf 'CgroupPlugin=autodetect\nCgroupAutomount=no\n' >"$dir/cgroup.conf"
}

case $verb in
start)
  configure
  munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" \
    --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed"
  slurmctld -c -f "$SLURM_CONF"
  slurmd -N n1 -f "$SLURM_CONF"
  slurmd -N n2 -f "$SLURM_CONF"
  for i in $(seq 50); do [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && break; sleep .2; done
  sinfo -N -l ;;
stop)
  for f in "$dir"/slurmd.n1.pid "$dir"/slurmd.n2.pid "$dir"/slurmctld.pid "$dir"/munge/pid; do
    [ -s "$f" ] && kill "$(cat "$f")" || true
  done ;;
env) echo "export SLURM_CONF=$SLURM_CONF" ;;
esac
