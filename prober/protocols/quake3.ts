// Quake 3's status query: `SVC_Status` in code/server/sv_main.c of https://github.com/ioquake/ioq3

import { decodeText } from './byte-reader.ts';
import {
  type DatagramExchange,
  MalformedReply,
  MORE,
  type Protocol,
  type RawPlayer,
  type RawStatus,
  type Step,
  strictly,
} from './protocol.ts';

const GETSTATUS = Buffer.from('\xff\xff\xff\xffgetstatus\n', 'latin1');
const STATUS_RESPONSE = Buffer.from('\xff\xff\xff\xffstatusResponse\n', 'latin1');

/** An unanswered question and its repetition. */
const MAX_PACKETS = 2;
/** The engine's MAX_MSGLEN, the longest message it builds. */
const MAX_BYTES = 16384;
const MAX_PLAYERS = 1024;

/** What the engine's family calls the same thing, the first of these that is there. */
const NAME_KEYS = ['sv_hostname', 'hostname'];
const CAPACITY_KEYS = ['sv_maxclients', 'maxclients'];
const PASSWORD_KEYS = ['g_needpass', 'needpass', 'pswrd'];
const VERSION_KEYS = ['version', 'gameversion', 'shortversion'];

/** `score ping "name"`, where some put the team before the name, and some team or address behind it. */
const PLAYER_LINE = /^(-?\d+) +(-?\d+)(?: +-?\d+)* +"(.*?)"(?: +-?\d+| +"[\d.:]*")*$/;
const MAX_LINE = 512;

class Quake3Exchange implements DatagramExchange {
  #sent = 0;

  request(): Buffer[] {
    if (this.#sent === MAX_PACKETS) return [];
    this.#sent++;
    return [GETSTATUS];
  }

  receive(datagram: Buffer): Step {
    return strictly(() => {
      const isStatus = datagram.subarray(0, STATUS_RESPONSE.length).equals(STATUS_RESPONSE);
      // Servers of this family send prints and other chatter in the same envelope.
      if (!isStatus && datagram.length > 4 && datagram.readInt32LE(0) === -1 && !isCut(datagram)) return MORE;
      if (!isStatus) throw new MalformedReply('no statusResponse');
      return { kind: 'done', status: parseStatus(datagram.subarray(STATUS_RESPONSE.length)) };
    });
  }

  partial(): RawStatus | undefined {
    return undefined;
  }
}

/** A datagram that is the beginning of a status reply and ends there. */
function isCut(datagram: Buffer): boolean {
  return STATUS_RESPONSE.subarray(0, datagram.length).equals(datagram);
}

function parseStatus(body: Buffer): RawStatus {
  if (body.length > MAX_BYTES)
    throw new MalformedReply(`${body.length} bytes, more than the engine can send`);
  let end = body.length;
  while (end > 0 && body[end - 1] === 0) end--;
  // The engine ends every line, the last too: a reply without that was cut on its way.
  if (end === 0 || body[end - 1] !== 0x0a) throw new MalformedReply('cut short: the last line does not end');
  const [infoLine = '', ...playerLines] = decodeText(body.subarray(0, end - 1)).split('\n');
  const info = parseInfo(infoLine);
  const maxplayers = Number(pick(info, CAPACITY_KEYS) ?? Number.NaN);
  if (!Number.isInteger(maxplayers) || maxplayers < 0) throw new MalformedReply('no sv_maxclients');
  if (playerLines.length > MAX_PLAYERS) throw new MalformedReply(`${playerLines.length} players`);
  let silentPings = 0;
  const playerList = playerLines.map((line): RawPlayer => {
    const [, score, ping, name] = (line.length <= MAX_LINE && PLAYER_LINE.exec(line)) || [];
    if (name === undefined) throw new MalformedReply(`no player line: ${JSON.stringify(line.slice(0, 40))}`);
    if (Number(ping) === 0) silentPings++;
    return { name, score: Number(score) };
  });
  const status: RawStatus = {
    name: pick(info, NAME_KEYS) ?? '',
    map: info.get('mapname') ?? '',
    players: playerList.length,
    maxplayers,
    numbots: silentPings, // only what runs inside the server has no ping
    playerList,
  };
  const password = pick(info, PASSWORD_KEYS);
  if (password !== undefined) status.password = password !== '0' && password !== '';
  const version = pick(info, VERSION_KEYS);
  if (version !== undefined) status.version = version;
  return status;
}

function parseInfo(line: string): Map<string, string> {
  const fields = line.split('\\');
  if (fields[0] !== '' || fields.length < 3 || fields.length % 2 === 0) {
    throw new MalformedReply('the info string is not made of \\key\\value');
  }
  const info = new Map<string, string>();
  for (let i = 1; i + 1 < fields.length; i += 2)
    info.set((fields[i] ?? '').toLowerCase(), fields[i + 1] ?? '');
  return info;
}

function pick(info: Map<string, string>, keys: string[]): string | undefined {
  const key = keys.find(name => info.has(name));
  return key === undefined ? undefined : info.get(key);
}

/** Quake 3 and the engines grown from it. */
export const quake3: Protocol = { transport: 'udp', colours: 'caret', open: () => new Quake3Exchange() };
