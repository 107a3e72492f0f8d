import pytest

from jitstudio.core.line_table_paths import plain_path


@pytest.mark.parametrize(
    ("spelt", "path"),
    [
        (r"/a/\303\251/\303\244 b.cu", "/a/é/ä b.cu"),
        # As nvdisasm prints it: ptxas has parted the file from its folder at the last backslash.
        (r"/a/\303\251/\303/244 b.cu", "/a/é/ä b.cu"),
        (r"\346\246/233.cu", "榛.cu"),
        (r"\360\237\232\200.cu", "🚀.cu"),
        # No character of UTF-8, and nothing that was spelt so.
        (r"C:\303\kernel.cu", r"C:\303\kernel.cu"),
        (r"\377\377.cu", r"\377\377.cu"),
        ("/plain/303/244.cu", "/plain/303/244.cu"),
    ],
)
def test_a_path_is_told_as_the_file_is_called(spelt, path):
    assert plain_path(spelt) == path
