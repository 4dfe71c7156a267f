#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes docs/heavy_top.png from runs of data/scenes/heavy_top.json.  Needs gnuplot (Debian:
# gnuplot-nox).   docs/make_figures.sh [OUTPUT]
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
torsor=${TORSOR:-$here/../torsor.sh}
output=${1:-$here/heavy_top.png}
scene=$here/../data/scenes/heavy_top.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for start in plain perturbed; do
  "$torsor" run -q "$scene" -o "$work/$start" --set simulation.start=$start --set output.every=1
done
"$torsor" run -q "$scene" -o "$work/path" --set simulation.step=2e-4 --set simulation.duration=2 \
  --set output.every=20

gnuplot <<EOF
set datafile separator ','
set encoding utf8
set terminal pngcairo size 1200,540 font 'sans-serif,16' linewidth 1.3 background rgb 'white'
set output '$output'
set multiplot

# The path of the centre of mass on the unit sphere, with the pivot.
set origin 0.0, 0.0
set size 0.48, 1.0
set title 'Path of the centre of mass, 2 s' offset 0,0.2
unset border
unset tics
unset key
set view 72, 122, 1.75, 1.75
set view equal xyz
set parametric
set isosamples 17, 13
set urange [0:2*pi]
set vrange [-pi/2:pi/2]
set xrange [-1:1]
set yrange [-1:1]
set zrange [-1:1]
splot cos(u)*cos(v), sin(u)*cos(v), sin(v) with lines lc rgb '#e4e4e4' lw 0.7, \\
  '$work/path/trajectory.csv' every ::1 using (column('top.position.x')):(column('top.position.y')):(column('top.position.z')) \\
    with lines lc rgb '#1f5fa8' lw 1.8, \\
  '+' using (0):(0):(0) every ::0::0 with points pt 7 ps 0.8 lc rgb '#444444', \\
  '$work/path/trajectory.csv' every ::1::1 using (column('top.position.x')):(column('top.position.y')):(column('top.position.z')) \\
    with points pt 7 ps 0.8 lc rgb '#c4461d'
unset parametric

# The vertical force on the top at the pivot, which is the paper's multiplier.
set origin 0.47, 0.02
set size 0.52, 0.96
set title 'Vertical force at the pivot, step 1 ms' offset 0,0.2
set border 3 lc rgb '#888888'
set tics nomirror tc rgb '#333333'
set xtics 0.02
set ytics 100
set grid lc rgb '#eeeeee' lt 1
set xrange [0:0.1]
set yrange [-480:-80]
set xlabel 't (s)' offset 0,0.3
set ylabel 'λ_3 (N)' offset 1,0
set key top left reverse Left samplen 2.5 spacing 1.2
plot '$work/plain/trajectory.csv' using (column('t')):(column('pivot.force.z')) \\
    with lines lc rgb '#c4461d' lw 1.6 title 'plain start', \\
  '$work/perturbed/trajectory.csv' using (column('t')):(column('pivot.force.z')) \\
    with lines lc rgb '#1f5fa8' lw 2.2 title 'perturbed start (default)', \\
  '$here/../data/reference/heavy_top.csv' using (column('t')):(column('pivot.force.z')) \\
    with points pt 6 ps 0.8 lc rgb '#333333' title 'reference solution'
unset multiplot
EOF
