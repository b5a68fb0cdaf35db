import { type Answer, errorDetail, NO_ROOM } from '../answers/answer.ts';
import type { AdmittedProbe } from '../politeness/admitted-probe.ts';
import type { DatagramExchange, Step } from '../protocols/protocol.ts';
import type { TimerWheel, WheelTimer } from '../timing/timer-wheel.ts';
import type { DatagramEndpoint, PacketSender } from './datagram-socket.ts';

/**
 * Most packets of one conversation, because servers block those who send many. Exchanges keep to fewer; this
 * stops a faulty one.
 */
const MOST_PACKETS = 3;

const SILENT: Answer = { kind: 'silent', detail: 'no reply' };
export const CLOSED: Answer = { kind: 'fault', detail: 'closed' };

/** Routes incoming datagrams to the conversation that waits for them. */
export interface Listening {
  /** Registers a conversation; false if another one is asking the same port. */
  listen(conversation: Conversation): boolean;
  forget(conversation: Conversation): void;
}

export interface ConversationOptions {
  endpoint: DatagramEndpoint;
  exchange: DatagramExchange;
  admitted: AdmittedProbe;
  socket: PacketSender;
  wheel: TimerWheel;
  listening: Listening;
}

/** A conversation with one port of one server: one exchange over UDP. */
export class Conversation {
  readonly endpoint: DatagramEndpoint;
  readonly socket: PacketSender;
  /** The next conversation in the same bucket of `PendingQueries`. */
  next: Conversation | undefined;
  readonly #exchange: DatagramExchange;
  readonly #admitted: AdmittedProbe;
  readonly #wheel: TimerWheel;
  readonly #listening: Listening;
  readonly #timer: WheelTimer;
  /** Packets to send; the first `#gone` of them are sent. */
  #outbox: readonly Buffer[] = [];
  #gone = 0;
  #waitsForRoom = false;
  #sent = 0;
  #unanswered = 0;
  #sentAt = 0;
  #ping: number | undefined;
  #timeoutMs = 0;
  /** Receives the answer; undefined when no question is open. */
  #answered: ((answer: Answer) => void) | undefined;

  constructor({ endpoint, exchange, admitted, socket, wheel, listening }: ConversationOptions) {
    this.endpoint = endpoint;
    this.socket = socket;
    this.#exchange = exchange;
    this.#admitted = admitted;
    this.#wheel = wheel;
    this.#listening = listening;
    this.#timer = wheel.idle(() => this.#outOfTime());
  }

  /**
   * Sends the exchange's request and follows its steps, waiting `timeoutMs` after each packet. It may be
   * called again after silence.
   */
  ask(timeoutMs: number, answered: (answer: Answer) => void): void {
    const packets = this.#exchange.request();
    if (packets.length === 0) answered(SILENT);
    else if (!this.#listening.listen(this)) answered({ kind: 'fault', detail: 'being asked already' });
    else {
      this.#timeoutMs = timeoutMs;
      this.#answered = answered;
      this.#say(packets, this.#wheel.now());
    }
  }

  /** Handles a datagram from this endpoint. */
  receive(datagram: Buffer): void {
    // Reads the clock once for a datagram and all that follows from it: a read takes 0.1 µs.
    const now = this.#wheel.now();
    this.#ping ??= now - this.#sentAt;
    const step: Step = this.#exchange.receive(datagram);
    if (step.kind === 'more') return;
    this.#unanswered = 0;
    if (step.kind === 'send') this.#say(step.packets, now);
    else if (step.kind === 'done') this.settle({ kind: 'online', status: step.status, ping: this.#ping });
    else if (step.kind === 'unknowable') this.settle(step.answer);
    else this.settle({ kind: 'malformed', detail: step.reason });
  }

  /**
   * Handles an ICMP message that rejects a packet to this endpoint. Returns false if no packet is unanswered:
   * the message belongs to an earlier conversation, or is forged.
   */
  reject(error: Error): boolean {
    if (this.#unanswered === 0) return false;
    this.#admitted.rejected++;
    this.#giveUp({ kind: 'refused', detail: errorDetail(error) });
    return true;
  }

  /** Answers the open question, if there is one. */
  settle(answer: Answer): void {
    const answered = this.#answered;
    if (!answered) return;
    this.#answered = undefined;
    if (this.#exchange.challenged) this.#admitted.challenged = true;
    this.#timer.cancel();
    this.#listening.forget(this);
    answered(answer);
  }

  #say(packets: readonly Buffer[], now: number): void {
    this.#outbox =
      this.#gone === this.#outbox.length ? packets : [...this.#outbox.slice(this.#gone), ...packets];
    this.#gone = 0;
    if (!this.#waitsForRoom) this.#flush(now);
  }

  /** Sends packets while the rate limits allow. The timeout counts from the last packet. */
  #flush(now: number): void {
    while (this.#answered) {
      const packet = this.#outbox[this.#gone];
      if (!packet) return;
      if (!this.#admitted.reservePacket(now)) {
        this.#timer.cancel();
        this.#waitsForRoom = true;
        this.#admitted.whenRoom(hasRoom => this.#goOn(packet, hasRoom));
        return;
      }
      this.#send(packet, now);
    }
  }

  #goOn(packet: Buffer, hasRoom: boolean): void {
    this.#waitsForRoom = false;
    const now = this.#wheel.now();
    if (!hasRoom) this.settle(NO_ROOM);
    else if (this.#answered) this.#send(packet, now);
    this.#flush(now);
  }

  #send(packet: Buffer, now: number): void {
    this.#gone++;
    if (this.#sent++ === MOST_PACKETS) {
      this.settle({ kind: 'fault', detail: `more than ${MOST_PACKETS} packets` });
      return;
    }
    this.#unanswered++;
    this.#sentAt = now;
    this.#timer.restart(this.#timeoutMs);
    this.socket.send(packet, this.endpoint);
  }

  #outOfTime(): void {
    this.#giveUp(this.#ping === undefined ? SILENT : { kind: 'silent', detail: 'no complete reply' });
  }

  /**
   * Counts unanswered packets as lost. Answers with the status that is already known, or else with `failure`.
   */
  #giveUp(failure: Answer): void {
    this.#admitted.lost += this.#unanswered;
    this.#unanswered = 0;
    const status = this.#exchange.partial();
    this.settle(status ? { kind: 'online', status, ping: this.#ping ?? 0 } : failure);
  }
}
