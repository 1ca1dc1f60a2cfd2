#[inline(never)]
fn moving_average(values: &[f64], width: usize) -> Vec<f64> {
    let mut result = Vec::new();
    for start in 0..values.len() {
        let mut sum = 0.0;
        for at in start..start + width {
            sum += values[at];
        }
        result.push(sum / width as f64);
    }
    result
}

fn main() {
    let values = vec![1.0, 4.0, 2.0, 8.0];
    println!("{:?}", moving_average(&values, 2));
}
