/**
 * Returns the text of `/llms.txt` (https://llmstxt.org): what a language model must know to write a client. `document`:
 * the OpenAPI document. `base`: URL of the gateway.
 */
export function llmsText(document: OpenApiPaths, base: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary }]) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`,
    ),
  );
  return `# gsq

> gsq is a game server query service. It answers what is happening on game servers right now. Name servers by game and
> address, and gsq returns the latest known status of each. It starts to track servers that it does not know.

- Base URL: ${base}
- Bodies are JSON in UTF-8. All answers except images and events are JSON.
- Credentials are three headers: \`X-API-Token\`, \`X-API-Token-Type\` (FREE or PRO) and \`X-API-Token-Email\`.
- A fetch: \`POST /v1/post/fetch\` with \`{"servers": [{"game_id": "counterstrike2", "servers": ["203.0.113.7:27015"]}]}\`. At
  most 1,000 addresses in one request. The answer has one key for each address, and \`_meta\`.
- \`_updater.status\` of a server is \`online\`, \`offline\`, \`pending\` (not known yet) or \`invalid\`. Data older than its
  freshness limit has the key \`_stale\`.
- With the header \`Prefer: wait=3\`, a fetch waits for the first probe of new servers.
- Errors have the body \`{"error", "message", "request_id"}\`. After 429 and 503, wait for the seconds in \`Retry-After\`.
- Unknown query parameters are an error, so send only those of the document.

## Operations

${operations.join('\n')}

## Documents

- [OpenAPI 3.1](${base}/openapi.json): every parameter and every answer
- [Try it](${base}/docs): the same document, with code in several languages
`;
}

/** The fields of the OpenAPI document from which the text of `/llms.txt` is made. */
export interface OpenApiPaths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
}
