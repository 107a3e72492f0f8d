; Writes each thread's index into an array.
; This is LLVM 7 text with typed pointers (i32 addrspace(1)*), which libNVVM reads for
; targets below compute_100. For newer targets see fill_opaque.ll.

target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

define void @fill(i32 addrspace(1)* %out, i32 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %start = mul i32 %block, %size
  %i = add i32 %start, %thread
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %write, label %done

write:
  %place = getelementptr i32, i32 addrspace(1)* %out, i32 %i
  store i32 %i, i32 addrspace(1)* %place, align 4
  br label %done

done:
  ret void
}

; Without this the function would be no kernel.
!nvvm.annotations = !{!0}
!0 = !{void (i32 addrspace(1)*, i32)* @fill, !"kernel", i32 1}

; Without this libNVVM takes the module for version 1.0 and refuses it.
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0}
