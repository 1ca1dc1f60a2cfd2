enum Expression {
    Number(i64),
    Negated(Box<Expression>),
}

#[inline(never)]
fn evaluate(expression: &Expression) -> i64 {
    match expression {
        Expression::Number(value) => *value,
        Expression::Negated(inner) => -evaluate(inner),
    }
}

fn main() {
    let mut expression = Expression::Number(1);
    for _ in 0..1_000_000 {
        expression = Expression::Negated(Box::new(expression));
    }
    println!("{}", evaluate(&expression));
    std::mem::forget(expression);
}
