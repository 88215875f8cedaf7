LAYERS=40
DENSE_FIRST=0
freq=()
for ((i = 0; i < LAYERS; i++)); do
    if ((i < DENSE_FIRST)); then freq+=(0); else freq+=(1); fi
done
printf -v MOE_FREQ "[%s]" "$(IFS=', '; echo "${freq[*]}")"

MODEL_ARGS=(
   --num-layers 40
   --hidden-size 2048
   --ffn-hidden-size 5120
   --num-attention-heads 16
   --group-query-attention
   --num-query-groups 2
   --kv-channels 256
   --qk-layernorm
   --vocab-size 248320
   --normalization RMSNorm
   --swiglu
   --disable-bias-linear
   --use-rotary-position-embeddings
   --untie-embeddings-and-output-weights
   --num-experts 256
   --moe-router-topk 8
   --moe-ffn-hidden-size 512
   --moe-shared-expert-intermediate-size 512
   --moe-shared-expert-gate
   --moe-grouped-gemm
   --moe-permute-fusion
   --moe-token-dispatcher-type alltoall
   --moe-layer-freq "${MOE_FREQ}"
   --attention-output-gate
   --linear-attention-freq 4
   --linear-num-key-heads 16
   --linear-num-value-heads 32
   --linear-key-head-dim 128
   --linear-value-head-dim 128
)
