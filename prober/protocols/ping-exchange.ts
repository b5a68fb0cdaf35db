import type { RawStatus } from '../answers/raw-status.ts';
import { type DatagramExchange, type Step, strictly } from './protocol.ts';

/** A query with one request packet and one reply packet. */
export class PingExchange implements DatagramExchange {
  readonly #question: Buffer;
  readonly #read: (datagram: Buffer) => Step;

  /**
   * Creates a query that sends the packet `question`. The function `read` parses the reply, and is allowed to throw
   * MalformedReply.
   */
  constructor(question: Buffer, read: (datagram: Buffer) => Step) {
    this.#question = question;
    this.#read = read;
  }

  request(): Buffer[] {
    return [this.#question];
  }

  receive(datagram: Buffer): Step {
    return strictly(() => this.#read(datagram));
  }

  partial(): RawStatus | undefined {
    return undefined;
  }
}
