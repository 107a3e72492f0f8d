"""As `sealed`, but it may start nvdisasm, as those that build may."""

from tests.worker import sealed


def main(memory_limit):
    sealed.main(memory_limit, sealed.role_with_programs())
