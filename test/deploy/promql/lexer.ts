const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|("(?:[^"\\]|\\.)*")|([a-zA-Z_:][a-zA-Z0-9_:]*)|(=~|!~|==|!=|<=|>=|[-+*/<>=(){},[\]]))/y;

/** Splits a PromQL expression into tokens. Throws if a part of the expression is not a token that gsq uses. */
export function tokensOf(expression: string): string[] {
  // Replaces the Grafana variable `$__rate_interval` with five minutes. In Grafana, the duration depends on the
  // dashboard.
  const plain = expression.replaceAll('$__rate_interval', '5m').trim();
  const tokens: string[] = [];
  for (let end = 0; end < plain.length; end = TOKEN.lastIndex) {
    TOKEN.lastIndex = end;
    const token = TOKEN.exec(plain);
    if (!token) throw new Error(`cannot read "${plain.slice(end, end + 20)}" in ${expression}`);
    tokens.push(token[0].trim());
  }
  return tokens;
}
