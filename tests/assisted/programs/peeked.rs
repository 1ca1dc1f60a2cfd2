//! Reads sums of numbers: a token may be looked at before it is taken.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(i64),
    Plus,
    Minus,
    End,
}

struct Lexer {
    text: Vec<u8>,
    at: usize,
    pending: Option<Token>,
    taken: usize,
}

impl Lexer {
    fn new(text: &str) -> Lexer {
        let mut lexer = Lexer { text: text.as_bytes().to_vec(), at: 0, pending: None, taken: 0 };
        lexer.pending = Some(lexer.read());
        lexer
    }

    fn read(&mut self) -> Token {
        while self.at < self.text.len() && self.text[self.at] == b' ' {
            self.at += 1;
        }
        if self.at == self.text.len() {
            return Token::End;
        }
        let c = self.text[self.at];
        self.at += 1;
        match c {
            b'+' => Token::Plus,
            b'-' => Token::Minus,
            _ => {
                let mut value = i64::from(c - b'0');
                while self.at < self.text.len() && self.text[self.at].is_ascii_digit() {
                    value = value * 10 + i64::from(self.text[self.at] - b'0');
                    self.at += 1;
                }
                Token::Number(value)
            }
        }
    }

    fn next(&mut self) -> Token {
        let token = self.pending.clone().unwrap();
        self.pending = Some(self.read());
        self.taken += 1;
        token
    }

    fn accept(&mut self, token: Token) -> bool {
        if self.pending.as_ref() == Some(&token) {
            self.next();
            return true;
        }
        false
    }

    fn is_end(&mut self) -> bool {
        self.pending.take() == Some(Token::End)
    }
}

fn value(lexer: &mut Lexer) -> i64 {
    match lexer.next() {
        Token::Number(value) => value,
        Token::Minus => -value(lexer),
        _ => 0,
    }
}

fn sum(lexer: &mut Lexer) -> i64 {
    let mut sum = value(lexer);
    while lexer.accept(Token::Plus) {
        sum += value(lexer);
    }
    sum
}

fn main() {
    for text in ["1 + 20 + 3", "4 + -5", "7 8"] {
        let mut lexer = Lexer::new(text);
        println!("{}", sum(&mut lexer));
        if !lexer.is_end() {
            println!("then {}", sum(&mut lexer));
        }
    }
}
