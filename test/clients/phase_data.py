"""Reads an event's phases and station magnitudes with libcomcat; prints as JSON the tables that it gives.

On standard input: `detail`, the address of the event in ComCat's detail format, and `type` of a magnitude.
"""
import json
import sys
import types
import warnings

# Only for texts of directions, which are not asked for here; it would bring a library of maps.
compass = types.ModuleType("esi_utils_geo.compass")
compass.get_compass_dir_azimuth = None
sys.modules["esi_utils_geo"] = types.ModuleType("esi_utils_geo")
sys.modules["esi_utils_geo.compass"] = compass

from libcomcat.classes import DetailEvent
from libcomcat.dataframes import get_magnitude_data_frame, get_phase_dataframe

warnings.simplefilter("ignore")

asked = json.load(sys.stdin)
detail = DetailEvent(asked["detail"])


def rows_of(frame):
    return json.loads(frame.to_json(orient="records", date_format="iso", default_handler=str))


json.dump(
    {
        "hasPhases": detail.hasProduct("phase-data"),
        "phases": rows_of(get_phase_dataframe(detail)),
        "magnitudes": rows_of(get_magnitude_data_frame(detail, "preferred", asked["type"])),
    },
    sys.stdout,
)
