#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print the contents of .vtp files, read by VTK, as JSON: usage read_vtk.py FILE...; exit code 77 without VTK."""

import json
import sys

try:
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError:
    sys.exit(77)


def array(data):
    return [data.GetTuple(i) for i in range(data.GetNumberOfTuples())]


def cells(part):
    out = []
    part.InitTraversal()
    from vtkmodules.vtkCommonCore import vtkIdList
    ids = vtkIdList()
    while part.GetNextCell(ids):
        out.append([ids.GetId(i) for i in range(ids.GetNumberOfIds())])
    return out


def read(file):
    errors = []
    reader = vtkXMLPolyDataReader()
    reader.AddObserver("ErrorEvent", lambda *_: errors.append("error"))
    reader.SetFileName(file)
    reader.Update()
    data = reader.GetOutput()
    field = data.GetFieldData()
    fields = {}
    for i in range(field.GetNumberOfArrays()):
        one = field.GetAbstractArray(i)
        fields[one.GetName()] = ([one.GetValue(k) for k in range(one.GetNumberOfValues())])
    return {"errors": len(errors) + reader.GetErrorCode(),
            "points": [data.GetPoint(i) for i in range(data.GetNumberOfPoints())],
            "verts": cells(data.GetVerts()), "lines": cells(data.GetLines()), "polys": cells(data.GetPolys()),
            "point_data": {data.GetPointData().GetArrayName(i): array(data.GetPointData().GetArray(i))
                           for i in range(data.GetPointData().GetNumberOfArrays())},
            "cell_data": {data.GetCellData().GetArrayName(i): array(data.GetCellData().GetArray(i))
                          for i in range(data.GetCellData().GetNumberOfArrays())},
            "fields": fields}


if __name__ == "__main__":
    json.dump([read(file) for file in sys.argv[1:]], sys.stdout)
