"""Reads the QuakeML on standard input, a JSON string, with ObsPy; prints the mechanism of each event."""
import io
import json
import sys

from obspy import read_events


def plane(one):
    return [one.strike, one.dip, one.rake]


def tensor_of(tensor):
    if tensor is None:
        return None
    t = tensor.tensor
    return {
        "scalar_moment": tensor.scalar_moment,
        "components": [t.m_rr, t.m_tt, t.m_pp, t.m_rt, t.m_rp, t.m_tp],
        "depth": tensor.derived_origin_id.get_referred_object().depth,
        "magnitude": tensor.moment_magnitude_id.get_referred_object().mag,
        "double_couple": tensor.double_couple,
    }


def as_json(event):
    mechanism = event.focal_mechanisms[0]
    planes = mechanism.nodal_planes
    return {
        "id": event.resource_id.id.rsplit("/", 1)[-1],
        "magnitudes": [[m.magnitude_type, m.mag] for m in event.magnitudes],
        "preferred": event.preferred_magnitude().mag,
        "planes": [plane(planes.nodal_plane_1), plane(planes.nodal_plane_2)],
        "tensor": tensor_of(mechanism.moment_tensor),
    }


catalogue = read_events(io.BytesIO(json.load(sys.stdin).encode()), format="QUAKEML")
print(json.dumps(sorted((as_json(event) for event in catalogue), key=lambda one: one["id"])))
