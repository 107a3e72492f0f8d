"""LLVM IR as tutorials and code generators write it, in both dialects, without debug metadata."""

import re

from tests.support import typed_ir

ADD_AND_SUM = typed_ir("""\
declare void @llvm.nvvm.barrier0() #1

@tile = internal addrspace(3) global [128 x float] undef, align 4
; An LTO link leaves out what is not used.
@llvm.used = appending global [3 x i8*] [
  i8* bitcast (void (float addrspace(1)*, float addrspace(1)*, float addrspace(1)*, i32)* @add
    to i8*),
  i8* bitcast (void (float addrspace(1)*, float addrspace(1)*)* @sum to i8*),
  i8* bitcast (void (i32 addrspace(1)*)* @branches to i8*)
], section "llvm.metadata"

; A device function that is inlined; the next one is on one line.
define internal float @twice(float %v) alwaysinline {
  %sum = fadd float %v, %v ; with a comment, and a brace }
  ret float %sum
}
define internal float @halved(float %v) { ret float %v }

define void @"add"(float addrspace(1)* %a, float addrspace(1)* %b, float addrspace(1)* %c,
                   i32 %n)
{
entry:
  %tid = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %tid, %n
  br i1 %inside, label %"then; {", label %done
"then; {":
  %pa = getelementptr float, float addrspace(1)* %a, i32 %tid
  %pb = getelementptr float, float addrspace(1)* %b, i32 %tid
  %pc = getelementptr float, float addrspace(1)* %c, i32 %tid
  %va = load float, float addrspace(1)* %pa, align 4
  %vb = load float, float addrspace(1)* %pb,
             align 4
  %twice = call float @twice(float %va)
  %half = call float @halved(float %vb)
  %vc = fadd float %twice, %half
  store float %vc, float addrspace(1)* %pc, align 4
  br label %done
done:
  ret void
}

define void @sum(float addrspace(1)* %in, float addrspace(1)* %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %0 = getelementptr float, float addrspace(1)* %in, i32 %tid
  %1 = load float, float addrspace(1)* %0
  %slot = getelementptr [128 x float], [128 x float] addrspace(3)* @tile, i32 0, i32 %tid
  store float %1, float addrspace(3)* %slot
  br label %loop
loop:
  %stride = phi i32 [ 64, %entry ],
                    [ %half, %next ]
  call void @llvm.nvvm.barrier0()
  %adds = icmp ult i32 %tid, %stride
  br i1 %adds, label %add, label %next
add:
  %other = add i32 %tid, %stride
  %from = getelementptr [128 x float], [128 x float] addrspace(3)* @tile, i32 0, i32 %other
  %mine = load float, float addrspace(3)* %slot
  %theirs = load float, float addrspace(3)* %from
  %both = fadd float %mine, %theirs
  store float %both, float addrspace(3)* %slot
  br label %next
next:
  %half = lshr i32 %stride, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %end, !llvm.loop !3
end:
  %first = icmp eq i32 %tid, 0
  br i1 %first, label %write, label %done
write:
  %total = load float, float addrspace(3)* %slot
  store float %total, float addrspace(1)* %out
  br label %done
done:
  ret void
}

define void @branches(i32 addrspace(1)* %p) {
  %x = load i32, i32 addrspace(1)* %p
  switch i32 %x, label %other [
    i32 1, label %one
    i32 5, label %five
    i32 9, label %one
  ]
one:
  %clock = call i32 asm sideeffect "mov.u32 $0, %clock; // {", "=r"()
  store i32 %clock, i32 addrspace(1)* %p
  ret void
five:
  atomicrmw add i32 addrspace(1)* %p, i32 7 seq_cst
  ret void
other:
  %pair = insertvalue { i32, i32 } undef, i32 %x, 0
  %back = extractvalue { i32, i32 } %pair, 0
  %y = mul i32 %back, 3
  store volatile i32 %y, i32 addrspace(1)* %p
  ret void
}

attributes #1 = { convergent nounwind }
!nvvm.annotations = !{!0, !1, !2}
!0 = !{void (float addrspace(1)*, float addrspace(1)*, float addrspace(1)*, i32)* @add, \
!"kernel", i32 1}
!1 = !{void (float addrspace(1)*, float addrspace(1)*)* @sum, !"kernel", i32 1}
!2 = !{void (i32 addrspace(1)*)* @branches, !"kernel", i32 1}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.unroll.disable"}""")


def opaque(text: str) -> str:
    """A module with typed pointers as one with opaque ones."""
    text = re.sub(r"void \((?:[^()]|\(\d\))*\)\*", "ptr", text)
    return re.sub(r"(?:\[[^]]*\]|\b\w+)( addrspace\(\d\)|)\*", r"ptr\1", text)
