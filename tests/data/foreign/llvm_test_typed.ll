; RUN: llc < %s -march=nvptx64 -mcpu=sm_20 | FileCheck %s
target datalayout = "e-i64:64-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-unknown-unknown"
define i64 @ld_global_i64(i64 addrspace(1)* %ptr) {
; CHECK: ld.global.u64
  %a = load i64, i64 addrspace(1)* %ptr
  ret i64 %a
}
define void @simple(float* nocapture readonly %f, float* nocapture %g) {
  %v = load float, float* %f
  store float %v, float* %g
  ret void
}
!nvvm.annotations = !{!1, !2}
!1 = !{void (float*, float*)* @simple, !"kernel", i32 1}
!2 = !{void (float*, float*)* @simple, !"maxntidx", i32 10}
