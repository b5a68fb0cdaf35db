import { type Answer, errorDetail, NO_ROOM } from '../answers/answer.ts';
import type { AdmittedProbe } from '../politeness/admitted-probe.ts';
import type { DatagramExchange, Step } from '../protocols/protocol.ts';
import type { TimerWheel, WheelTimer } from '../timing/timer-wheel.ts';
import type { DatagramEndpoint, PacketSender } from './datagram-socket.ts';

/**
 * Maximum number of packets that the prober sends in one UDP query, because servers block clients that send many
 * packets. No protocol needs more packets than this.
 */
const MOST_PACKETS = 3;

const SILENT: Answer = { kind: 'silent', detail: 'no reply' };
/**
 * Result of a query that was still open when the prober closed its sockets. It does not count as a failure of the
 * server.
 */
export const CLOSED: Answer = { kind: 'fault', detail: 'closed' };

/**
 * Registry of the open conversations (queries over UDP). The UDP pool uses it to find the conversation of a received
 * datagram.
 */
export interface Listening {
  /** Registers a conversation. Returns false if another conversation already queries the same port of the server. */
  listen(conversation: Conversation): boolean;
  /** Removes a conversation from this registry. */
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

/**
 * A query in progress over UDP, to one port of a server. Sends the packets that the protocol parser (a
 * `DatagramExchange`) returns, and passes the replies to the parser.
 */
export class Conversation {
  readonly endpoint: DatagramEndpoint;
  readonly socket: PacketSender;
  /** Next open query (conversation) in the same bucket of the hash table `PendingQueries`. */
  next: Conversation | undefined;
  readonly #exchange: DatagramExchange;
  readonly #admitted: AdmittedProbe;
  readonly #wheel: TimerWheel;
  readonly #listening: Listening;
  readonly #timer: WheelTimer;
  /** Packets to send to the server. The first `#gone` packets are already sent; the others wait. */
  #outbox: readonly Buffer[] = [];
  #gone = 0;
  #waitsForRoom = false;
  #sent = 0;
  #unanswered = 0;
  /** True if a datagram has arrived since the last packet was sent. */
  #hasReply = false;
  #sentAt = 0;
  #ping: number | undefined;
  #timeoutMs = 0;
  /** Callback for the answer of the open query. Undefined if no query is open. */
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
   * Starts the query: sends its first packets, and then handles replies until the query ends. Waits up to `timeoutMs`
   * for a reply after each packet. If the server did not answer, `ask` can be called again.
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

  /** Handles a datagram from the server port to which this query was sent. */
  receive(datagram: Buffer): void {
    // Reads the clock only once, for the datagram and for the packets sent in reply, because reading the clock takes
    // 0.1 µs.
    const now = this.#wheel.now();
    this.#ping ??= now - this.#sentAt;
    this.#hasReply = true;
    const step: Step = this.#exchange.receive(datagram);
    if (step.kind === 'more') return;
    this.#unanswered = 0;
    if (step.kind === 'send') this.#say(step.packets, now);
    else if (step.kind === 'done') this.settle({ kind: 'online', status: step.status, ping: this.#ping });
    else if (step.kind === 'unknowable') this.settle(step.answer);
    else this.settle({ kind: 'malformed', detail: step.reason });
  }

  /**
   * Handles an ICMP message that rejects a packet of this query. Returns false if the query is not waiting for a reply.
   * In this case, the ICMP message belongs to an earlier query, or it is forged.
   */
  reject(error: Error): boolean {
    if (this.#unanswered === 0) return false;
    this.#admitted.rejected++;
    this.#giveUp({ kind: 'refused', detail: errorDetail(error) });
    return true;
  }

  /** Ends the open query with an answer. Does nothing if no query is open. */
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

  /**
   * Sends as many of the waiting packets as the rate limits allow at this time. Restarts the timeout of the query at
   * each packet.
   */
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
    if (!hasRoom) this.#settlePartial(NO_ROOM);
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
    this.#hasReply = false;
    this.#sentAt = now;
    this.#timer.restart(this.#timeoutMs);
    this.socket.send(packet, this.endpoint);
  }

  #outOfTime(): void {
    this.#giveUp(this.#ping === undefined ? SILENT : { kind: 'silent', detail: 'no complete reply' });
  }

  /** Ends the query because replies are missing. Counts the unanswered packets as lost. */
  #giveUp(failure: Answer): void {
    this.#admitted.lost += this.#unanswered;
    this.#unanswered = 0;
    this.#settlePartial(failure, !this.#hasReply);
  }

  /**
   * Ends the query although some replies are missing. The answer is the partial status of the server, or `failure` if
   * the received replies contained no status. `isMute`: true if the server did not reply to the last packet.
   */
  #settlePartial(failure: Answer, isMute = false): void {
    const status = this.#exchange.partial();
    this.settle(status ? { kind: 'online', status, ping: this.#ping ?? 0, isMute } : failure);
  }
}
