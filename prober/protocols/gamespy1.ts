// GameSpy's first query protocol. Sources: https://beyondunrealwiki.github.io/pages/ut-server-query.html and the Query
// & Reporting SDK in code/gamespy/sv_gqueryreporting.c of https://github.com/openmoh/openmohaa

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { MAX_GAMESPY_PLAYERS, readFacts, readPlayer } from './gamespy-facts.ts';
import {
  type DatagramExchange,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  strictly,
} from './protocol.ts';

const STATUS = Buffer.from('\\status\\', 'latin1');

/**
 * Maximum number of replies that gsq collects at the same time: the current reply, and a late reply to an earlier
 * query.
 */
const MAX_REPLIES = 2;
const MAX_PARTS = 32;
const MAX_BYTES = 64 * 1024;
const BACKSLASH = 0x5c;

/**
 * Matches the end of a datagram, for example `\queryid\12.3\final` of packet 3 in reply 12. `final` marks the last
 * packet. Some datagrams have `final` before `queryid`, or only `final`.
 */
const ENDING = /(\\final\\?)?(?:\\queryid\\(\d{1,9})(?:\.(\d{1,4}))?)?(\\final)?[\\\0]*$/;
const MAX_ENDING = 64;

/** Matches the key of a player field such as `score_0`, or of a team field such as `score_t0`. */
const PLAYER_KEY = /^([a-z]+)_(t?)(\d{1,4})$/;

interface Reply {
  /** The packets of one reply, keyed by packet number. `queryid` and `final` at the end of a packet are removed. */
  packets: Map<number, string>;
  last: number | undefined;
}

class Gamespy1Exchange implements DatagramExchange {
  readonly #replies = new Map<string, Reply>();
  #bytes = 0;

  request(): Buffer[] {
    return [STATUS];
  }

  receive(datagram: Buffer): Step {
    return strictly(() => this.#read(datagram));
  }

  /**
   * Returns a status without a player list, if the server properties have arrived. Servers send the packets with the
   * properties before the packets with the players.
   */
  partial(): RawStatus | undefined {
    for (const { packets } of this.#replies.values()) {
      const step = strictly(() => ({ kind: 'done', status: readFacts(readPairs(packets.values()).rules) }));
      if (step.kind !== 'done') continue;
      const { name, map, password } = step.status;
      if (name !== '' && map !== undefined && password !== undefined) return step.status;
    }
    return undefined;
  }

  #read(datagram: Buffer): Step {
    if (datagram[0] !== BACKSLASH) throw new MalformedReply('no reply of \\key\\value');
    this.#bytes += datagram.length;
    if (this.#bytes > MAX_BYTES) throw new MalformedReply(`more than ${MAX_BYTES} bytes`);
    const text = datagram.toString('latin1');
    const [ending = '', finalBefore, id = '', part, finalBehind] = ENDING.exec(text.slice(-MAX_ENDING)) ?? [];
    const content = text.slice(0, text.length - ending.length);
    const isFinal = finalBefore !== undefined || finalBehind !== undefined;
    const number = Number(part ?? 0);
    if (number === 0) {
      if (!isFinal) throw new MalformedReply("cut short: neither a part's number nor the end of the reply");
      return { kind: 'done', status: readStatus([content]) };
    }
    if (number > MAX_PARTS) throw new MalformedReply(`part ${number}`);
    const reply = this.#reply(id);
    if (!reply) return MORE;
    reply.packets.set(number, content);
    if (isFinal) reply.last = number;
    const packets = wholeReply(reply);
    return packets ? { kind: 'done', status: readStatus(packets) } : MORE;
  }

  #reply(id: string): Reply | undefined {
    let reply = this.#replies.get(id);
    if (!reply && this.#replies.size < MAX_REPLIES) {
      reply = { packets: new Map(), last: undefined };
      this.#replies.set(id, reply);
    }
    return reply;
  }
}

function wholeReply({ packets, last }: Reply): string[] | undefined {
  if (last === undefined) return undefined;
  const inOrder: string[] = [];
  for (let number = 1; number <= last; number++) {
    const part = packets.get(number);
    if (part === undefined) return undefined;
    inOrder.push(part);
  }
  return inOrder;
}

function readStatus(packets: Iterable<string>): RawStatus {
  const { rules, players } = readPairs(packets);
  const playerList: RawPlayer[] = [];
  for (const fields of players.values()) {
    const player = readPlayer(fields);
    if (player) playerList.push(player);
  }
  return { ...readFacts(rules, playerList.length), playerList };
}

function readPairs(packets: Iterable<string>) {
  const rules = new Map<string, string>();
  const players = new Map<string, Map<string, string>>();
  for (const part of packets) {
    const words = part.split('\\');
    for (let i = 1; i + 1 < words.length; i += 2) {
      const key = (words[i] ?? '').toLowerCase();
      let value = words[i + 1] ?? '';
      const [, field, team, index] = PLAYER_KEY.exec(key) ?? [];
      // A player name can contain a backslash, which also separates keys and values. Example: in
      // `\player_0\a\b\score_0\5`, `b` is not a key, so the name is `a\b`.
      if (field?.startsWith('player') && !isPlayerKey(words[i + 2]) && isPlayerKey(words[i + 3])) {
        value += `\\${words[i + 2]}`;
        i++;
      }
      if (field === undefined || index === undefined) {
        // Keeps only the first value of each key, so that a player name cannot overwrite a server property. Servers
        // send their properties first.
        if (!rules.has(key)) rules.set(key, value);
        continue;
      }
      if (team) continue;
      let fields = players.get(index);
      if (!fields) {
        if (players.size === MAX_GAMESPY_PLAYERS) throw new MalformedReply('too many players');
        fields = new Map();
        players.set(index, fields);
      }
      if (!fields.has(field)) fields.set(field, value);
    }
  }
  return { rules, players };
}

function isPlayerKey(word: string | undefined): boolean {
  return word !== undefined && PLAYER_KEY.test(word.toLowerCase());
}

/** GameSpy's first protocol. A reply consists of `\key\value` pairs in one or more datagrams. */
export const gamespy1: Protocol = { transport: 'udp', colours: 'none', open: () => new Gamespy1Exchange() };
