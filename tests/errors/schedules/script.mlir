// Of script.yaml: sequences for other schedules, or with other parameters, than it says.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__kgen_schedule_values(%f: !transform.any_op {transform.readonly}, %rows: !transform.param<i64> {transform.readonly}) {
    transform.yield
  }
  transform.named_sequence @__kgen_schedule_library(%f: !transform.any_op {transform.readonly}, %rows: !transform.param<i64> {transform.readonly}) {
    transform.yield
  }
}
