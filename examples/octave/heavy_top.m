% SPDX-License-Identifier: GPL-3.0-or-later
% A heavy top in Octave: the scene is run piece by piece, each from where the one before ended, and its rows are read.
%
%   octave-cli heavy_top.m SCENE.json FOLDER        $TORSOR names the command (default: torsor)

1;

% The columns of trajectory.csv as fields of a structure, "top.position.x" as top_position_x.
function rows = read_rows (folder)
  file = fullfile (folder, "trajectory.csv");
  in = fopen (file);
  names = strsplit (fgetl (in), ",");
  fclose (in);
  numbers = dlmread (file, ",", 1, 0);
  for k = 1:numel (names)
    rows.(regexprep (names{k}, "[^A-Za-z0-9]", "_")) = numbers(:, k);
  end
end

function call (varargin)
  command = getenv ("TORSOR");
  if isempty (command)
    command = "torsor";
  end
  line = command;
  for k = 1:nargin
    line = [line, " '", varargin{k}, "'"];
  end
  if system (line) != 0
    error ("torsor failed");
  end
end

arguments = argv ();
[scene, folder] = arguments{1:2};

% The scene may be changed as any structure; here it is only read, for its end.
description = jsondecode (fileread (scene));
duration = description.simulation.duration;
pieces = 4;
for k = 1:pieces
  upto = sprintf ("simulation.duration=%.17g", duration * k / pieces);
  if k == 1
    call ("run", "-q", scene, "-o", folder, "--set", upto);
  else
    call ("run", "-q", "--resume", folder, "--set", upto);
  end
  rows = read_rows (folder);
  printf ("t = %.4g s: height %.9g m\n", rows.t(end), rows.top_position_z(end));
end

summary = jsondecode (fileread (fullfile (folder, "summary.json")));
printf ("%d steps, energy changes by %.3g J of %.6g J\n", summary.steps, summary.energy.max_drift, summary.energy.initial);
printf ("last %.17g %.17g %.17g\n", rows.top_position_x(end), rows.top_position_y(end), rows.top_position_z(end));
