"""What a Linux desktop reads: entry, metainfo and MIME type speak of the same program."""

import xml.etree.ElementTree as ElementTree
from configparser import ConfigParser

from jitstudio import __version__
from jitstudio.core.code import PROJECT_ENDING
from jitstudio.gui.window.application import DESKTOP_ID
from jitstudio.system.paths import resource

_ID = "io.github.jitstudio.jitstudio"
_MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


def _entry():
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(resource(f"linux/{_ID}.desktop"), encoding="utf-8")
    return parser["Desktop Entry"]


def _metainfo():
    return ElementTree.parse(resource(f"linux/{_ID}.metainfo.xml")).getroot()


def test_the_metainfo_names_this_version_first():
    assert _metainfo().find("releases/release").get("version") == __version__


def test_metainfo_and_entry_name_each_other_and_the_same_command():
    metainfo, entry = _metainfo(), _entry()
    assert metainfo.findtext("id") == _ID
    assert metainfo.findtext("launchable") == f"{_ID}.desktop"
    assert entry["Exec"].split()[0] == entry["TryExec"]
    assert entry["TryExec"] in [binary.text for binary in metainfo.iterfind("provides/binary")]


def test_projects_have_a_type_of_their_own_that_the_program_opens():
    glob = ElementTree.parse(resource("linux/jitstudio-mime.xml")).getroot().find(f".//{_MIME}glob")
    assert glob.get("pattern") == f"*{PROJECT_ENDING}"
    assert "application/x-jitstudio-project;" in _entry()["MimeType"]


def test_the_window_tells_the_desktop_its_name():
    # By this name a desktop finds the icon of a window.
    assert DESKTOP_ID == _ID
