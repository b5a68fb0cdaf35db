import type { Exchange, Reply } from '../../../gateway/http/exchange.ts';
import type { Endpoint } from '../../../gateway/http/listener.ts';
import { PlainRequest } from '../../../gateway/http/plain-request.ts';

/** The request headers that the test endpoint `Echo` returns in its answer. */
const HEADERS = [
  'accept-encoding',
  'content-length',
  'content-type',
  'host',
  'if-modified-since',
  'if-none-match',
  'origin',
  'prefer',
  'referer',
  'traceparent',
  'x-api-token',
  'x-api-token-email',
  'x-api-token-type',
  'x-forwarded-for',
  'x-request-id',
] as const;

/** An endpoint that answers with the method, some headers and the body of the request. */
export class Echo implements Endpoint {
  readonly name = 'echo';
  readonly wrongMethod = 'POST_1';
  readonly preflights = false;
  readonly method: string;
  /** Number of requests that the fast HTTP parser has read. */
  plain = 0;

  constructor(method: string) {
    this.method = method;
  }

  acceptsPlain({ headers }: PlainRequest): boolean {
    return headers['content-type'] !== 'text/plain';
  }

  async answer({ request }: Exchange): Promise<Reply> {
    const chunks: Buffer[] = [];
    if (request instanceof PlainRequest) {
      this.plain++;
      chunks.push(request.body);
    } else {
      for await (const chunk of request) chunks.push(chunk);
    }
    const body = Buffer.concat(chunks).toString('latin1');
    const asked = HEADERS.map(name => [name, request.headers[name] ?? null]);
    return { status: 200, body: Buffer.from(JSON.stringify({ method: request.method, asked, body })) };
  }
}
