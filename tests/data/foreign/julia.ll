; ModuleID = 'vadd'
source_filename = "vadd"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@exception = private unnamed_addr constant [10 x i8] c"exception\00"
@__stack_chk_x = external addrspace(1) global i64

;  @ REPL[3]:1 within `vadd`
define ptx_kernel void @_Z4vadd13CuDeviceArrayI7Float32Li1ELi1EES0_({ i64, i32 } %state, { i8 addrspace(1)*, i64, [1 x i64], i64 } %0) local_unnamed_addr #0 {
conversion:
  %.fca.0.extract = extractvalue { i8 addrspace(1)*, i64, [1 x i64], i64 } %0, 0
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !range !3
  %2 = zext i32 %1 to i64
  %3 = bitcast i8 addrspace(1)* %.fca.0.extract to float addrspace(1)*
  %4 = getelementptr inbounds float, float addrspace(1)* %3, i64 %2
  store float 1.000000e+00, float addrspace(1)* %4, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1
attributes #0 = { "probe-stack"="inline-asm" }
attributes #1 = { nounwind readnone }
!llvm.module.flags = !{!0, !1}
!julia.kernel = !{!2}
!nvvm.annotations = !{!4}
!0 = !{i32 2, !"Dwarf Version", i32 2}
!1 = !{i32 1, !"Debug Info Version", i32 3}
!2 = !{void ({ i64, i32 }, { i8 addrspace(1)*, i64, [1 x i64], i64 })* @_Z4vadd13CuDeviceArrayI7Float32Li1ELi1EES0_}
!3 = !{i32 0, i32 1023}
!4 = !{void ({ i64, i32 }, { i8 addrspace(1)*, i64, [1 x i64], i64 })* @_Z4vadd13CuDeviceArrayI7Float32Li1ELi1EES0_, !"kernel", i32 1}
