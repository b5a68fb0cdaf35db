// The status protocol of Open Tibia servers. Source: src/protocolstatus.cpp of
// https://github.com/otland/forgottenserver

import type { RawStatus } from '../answers/raw-status.ts';
import { decodeText } from './byte-reader.ts';
import { MalformedReply, MORE, type Protocol, type Step, type StreamExchange, strictly } from './protocol.ts';

/**
 * The status request of Open Tibia. The first two bytes are the length of the rest, and two 0xff bytes select the
 * status protocol. The word `info` requests the full XML document.
 */
const QUESTION = Buffer.from('\x06\0\xff\xffinfo', 'latin1');
const END = '</tsqp>';
const MAX_BYTES = 64 * 1024;
const COUNT = /^\d{1,9}$/;
/**
 * Matches an XML attribute. A match starts only at the beginning of a word, because the search would otherwise take
 * quadratic time.
 */
const ATTRIBUTE = /(?<![a-z])([a-z]+)="([^"]*)"/g;
const ENTITY = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi;
const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

class TibiaExchange implements StreamExchange {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  /**
   * Last characters of the reply received so far. They are kept because the end tag of the XML document can be split
   * over two chunks.
   */
  #tail = '';

  request(): Buffer[] {
    return [QUESTION];
  }

  receive(chunk: Buffer): Step {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const seen = this.#tail + chunk.toString('latin1');
    this.#tail = seen.slice(1 - END.length);
    return strictly(() => {
      if (this.#length > MAX_BYTES) throw new MalformedReply(`more than ${MAX_BYTES} bytes`);
      if (!seen.includes(END)) return MORE;
      return { kind: 'done', status: parse(decodeText(Buffer.concat(this.#chunks))) };
    });
  }

  partial(): RawStatus | undefined {
    return undefined;
  }
}

function parse(document: string): RawStatus {
  const server = attributes(document, 'serverinfo');
  const players = attributes(document, 'players');
  const map = attributes(document, 'map');
  const name = server.get('servername');
  if (name === undefined) throw new MalformedReply('no servername');
  const status: RawStatus = {
    name,
    map: map.get('name') ?? '',
    players: count(players.get('online'), 'online'),
  };
  const maxplayers = count(players.get('max'), 'max');
  // A maximum of 0 players means that the server has no player limit. `maxplayers` then stays undefined.
  if (maxplayers > 0) status.maxplayers = maxplayers;
  const version = server.get('version');
  if (version !== undefined) status.version = version;
  return status;
}

/** Returns the attributes of the first XML element with this name. Throws MalformedReply if no such element exists. */
function attributes(document: string, element: string): Map<string, string> {
  const start = document.indexOf(`<${element} `);
  const end = document.indexOf('>', start);
  if (start < 0 || end < 0) throw new MalformedReply(`no ${element}`);
  const found = document.slice(start, end).matchAll(ATTRIBUTE);
  return new Map(Array.from(found, ([, name = '', value = '']) => [name, unescaped(value)]));
}

function unescaped(text: string): string {
  return text.replace(ENTITY, (whole, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function count(value: string | undefined, what: string): number {
  if (value === undefined || !COUNT.test(value)) throw new MalformedReply(`${what} is no number of players`);
  return Number(value);
}

/** The protocol of Open Tibia servers such as The Forgotten Server. */
export const tibia: Protocol = { transport: 'tcp', colours: 'none', open: () => new TibiaExchange() };
