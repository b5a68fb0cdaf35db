import type { Response } from './exchange.ts';
import type { PlainRequest } from './plain-request.ts';

/** Answers the plain requests of one request line. */
export interface PlainRoute {
  method: string;
  /** With its line break. */
  requestLine: string;
  /** Whether it accepts this request; node:http reads the requests it does not accept. */
  acceptsPlain(request: PlainRequest): boolean;
  /** Answers every accepted request, sooner or later. */
  listener(request: PlainRequest, response: Response): void;
}
