# leaves the tile registers with their shapes
	.globl bad_graph_kernel_x86_64_v4_amx
bad_graph_kernel_x86_64_v4_amx:
	ldtilecfg (%r12)
	call uk_gemm_bf16_f32_16x16x96
	ret
	.section .note.GNU-stack,"",@progbits
