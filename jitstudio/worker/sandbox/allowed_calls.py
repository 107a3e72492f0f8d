"""The system calls of a sealed process without a GPU: no other call exists for the process.

What compilers, nvdisasm, nvcc with its host compiler, NumPy and the scripts of users call was
measured (strace(1)); the rest of each family is here too, as other versions of the C library use
other members: statx(2) in place of newfstatat, futex_waitv in place of futex. What is not in here
answers ENOSYS, as on an older kernel, so that libraries take another way. The driver's calls are
NVIDIA's own affair and change with its versions: for it the table of `seccomp` alone holds.

Numbers are those of x86_64 and aarch64 (`asm/unistd_64.h`, `asm-generic/unistd.h`); -1 where there
is none.
"""

from __future__ import annotations

from collections.abc import Iterator

ALLOWED = {
    "read and write what is open": """
        read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv
        295 69, pwritev 296 70, preadv2 327 286, pwritev2 328 287, lseek 8 62, close 3 57,
        close_range 436 436, dup 32 23, dup2 33 -1, dup3 292 24, fcntl 72 25, flock 73 32, fsync
        74 82, fdatasync 75 83, sync_file_range 277 84, ftruncate 77 46, fallocate 285 47,
        fadvise64 221 223, readahead 187 213, sendfile 40 71, copy_file_range 326 285, ioctl 16
        29, pipe 22 -1, pipe2 293 59
    """,
    "find files, which landlock says, and change its own": """
        open 2 -1, openat 257 56, openat2 437 437, creat 85 -1, access 21 -1, faccessat 269 48,
        faccessat2 439 439, stat 4 -1, lstat 6 -1, fstat 5 80, newfstatat 262 79, statx 332 291,
        statfs 137 43, fstatfs 138 44, readlink 89 -1, readlinkat 267 78, getdents 78 -1,
        getdents64 217 61, getcwd 79 17, chdir 80 49, fchdir 81 50, mkdir 83 -1, mkdirat 258 34,
        rmdir 84 -1, rename 82 -1, renameat 264 38, renameat2 316 276, link 86 -1, linkat 265 37,
        symlink 88 -1, symlinkat 266 36, mknod 133 -1, mknodat 259 33, unlink 87 -1, unlinkat 263
        35, truncate 76 45, umask 95 166, getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10,
        listxattr 194 11, llistxattr 195 12, flistxattr 196 13
    """,
    "wait for what is open": """
        poll 7 -1, ppoll 271 73, select 23 -1, pselect6 270 72, epoll_create 213 -1, epoll_create1
        291 20, epoll_ctl 233 21, epoll_wait 232 -1, epoll_pwait 281 22, epoll_pwait2 441 441,
        eventfd 284 -1, eventfd2 290 19, signalfd 282 -1, signalfd4 289 74, timerfd_create 283 85,
        timerfd_settime 286 86, timerfd_gettime 287 87
    """,
    "have memory": """
        brk 12 214, mmap 9 222, munmap 11 215, mremap 25 216, mprotect 10 226, madvise 28 233,
        msync 26 227, mincore 27 232, mlock 149 228, mlock2 325 284, munlock 150 229, mlockall 151
        230, munlockall 152 231, membarrier 324 283, mbind 237 235, get_mempolicy 239 236,
        set_mempolicy 238 237, pkey_alloc 330 289, pkey_free 331 290, pkey_mprotect 329 288,
        map_shadow_stack 453 453, mseal 462 462
    """,
    "run threads": """
        futex 202 98, futex_waitv 449 449, futex_wake 454 454, futex_wait 455 455, futex_requeue
        456 456, set_robust_list 273 99, get_robust_list 274 100, rseq 334 293, set_tid_address
        218 96, arch_prctl 158 -1, prctl 157 167, gettid 186 178, sched_yield 24 124,
        sched_getaffinity 204 123, sched_setaffinity 203 122, sched_getparam 143 121,
        sched_getscheduler 145 120, sched_get_priority_max 146 125, sched_get_priority_min 147
        126, sched_rr_get_interval 148 127, sched_getattr 315 275, getcpu 309 168, restart_syscall
        219 128, clone 56 220, exit 60 93, exit_group 231 94
    """,
    "start programs and wait for them": """
        execve 59 221, fork 57 -1, vfork 58 -1, wait4 61 260, waitid 247 95, kill 62 129, tkill
        200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240,
        pidfd_send_signal 424 424
    """,
    "take signals": """
        rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136,
        rt_sigsuspend 130 133, rt_sigtimedwait 128 137, sigaltstack 131 132, pause 34 -1, alarm 37
        -1, getitimer 36 102, setitimer 38 103
    """,
    "know itself and the machine": """
        getpid 39 172, getppid 110 173, getuid 102 174, geteuid 107 175, getgid 104 176, getegid
        108 177, getresuid 118 148, getresgid 120 150, getgroups 115 158, getpgid 121 155, getpgrp
        111 -1, getsid 124 156, getpriority 140 141, ioprio_get 252 31, getrlimit 97 163,
        setrlimit 160 164, prlimit64 302 261, getrusage 98 165, times 100 153, capget 125 90,
        uname 63 160, sysinfo 99 179, getrandom 318 278
    """,
    "tell the time": """
        time 201 -1, gettimeofday 96 169, clock_gettime 228 113, clock_getres 229 114,
        clock_nanosleep 230 115, nanosleep 35 101, timer_create 222 107, timer_settime 223 110,
        timer_gettime 224 108, timer_getoverrun 225 109, timer_delete 226 111
    """,
    "restrict itself further": """
        seccomp 317 277, landlock_create_ruleset 444 444, landlock_add_rule 445 445,
        landlock_restrict_self 446 446
    """,
}
"""What each group of calls is for, and its calls with their numbers."""


def allowed_numbers(column: int) -> Iterator[int]:
    """Yields the numbers of all allowed calls.

    Args:
        column: 0 for x86_64, 1 for aarch64.
    """
    for group in ALLOWED.values():
        for call in group.split(","):
            number = int(call.split()[1 + column])
            if number >= 0:
                yield number
