import { type DatagramExchange, type RawStatus, type Step, strictly } from './protocol.ts';

/** An unanswered question and its repetition. */
const MAX_PACKETS = 2;

/** One question, asked once more after silence, and one datagram that answers it. */
export class PingExchange implements DatagramExchange {
  readonly #question: Buffer;
  readonly #read: (datagram: Buffer) => Step;
  #sent = 0;

  /** `read` may throw MalformedReply. */
  constructor(question: Buffer, read: (datagram: Buffer) => Step) {
    this.#question = question;
    this.#read = read;
  }

  request(): Buffer[] {
    if (this.#sent === MAX_PACKETS) return [];
    this.#sent++;
    return [this.#question];
  }

  receive(datagram: Buffer): Step {
    return strictly(() => this.#read(datagram));
  }

  partial(): RawStatus | undefined {
    return undefined;
  }
}
