import type { Step, StreamExchange } from '../../../prober/protocols/protocol.ts';
import { teamspeak3 } from '../../../prober/protocols/teamspeak3.ts';
import { openStream } from './exchange.ts';

/** The line with which a TeamSpeak 3 server confirms a command. */
export const OK = 'error id=0 msg=ok\n\r';
/** The greeting that a TeamSpeak 3 server sends first. */
export const GREETING = 'TS3\n\rWelcome to the TeamSpeak 3 ServerQuery interface.\n\r';
/**
 * Properties of a TeamSpeak 3 voice server. The values contain TeamSpeak's escape sequences, such as `\s` for a space.
 */
export const INFO = {
  virtualserver_name: 'Red\\s\\p\\sBlue\\/\\\\s',
  virtualserver_version: '3.13.7\\s[Build:\\s1655727713]',
  virtualserver_maxclients: '32',
  virtualserver_clientsonline: '4',
  virtualserver_queryclientsonline: '1',
  virtualserver_flag_password: '1',
  virtualserver_port: '9987',
};
/** Builds the line in which a TeamSpeak 3 server sends the properties of a voice server. */
export const infoLine = (info: Record<string, string>): string =>
  Object.entries(info)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
/** The replies of a TeamSpeak 3 server to the commands `use` and `serverinfo`. */
export const ANSWERS = `${OK}virtualserver_welcomemessage ${infoLine(INFO)}\n\r${OK}`;
const CLIENTS = [
  'clid=1 cid=1 client_nickname=Ann client_type=0',
  'clid=2 cid=1 client_nickname=B\\so\\pb client_type=0',
  'clid=3 cid=1 client_nickname=Asker\\sfrom\\s192.0.2.1:5000 client_type=1',
  'clid=4 cid=7 client_nickname=J\u00f6rg client_type=0',
].join('|');
/** The reply of a TeamSpeak 3 server to the command `clientlist`, with three voice clients and one query client. */
export const LIST = `${CLIENTS}\n\r${OK}`;

/** The server status that gsq must read from the TeamSpeak 3 replies in ANSWERS. */
export const STATUS = {
  name: 'Red | Blue/\\s',
  version: '3.13.7 [Build: 1655727713]',
  players: 3,
  maxplayers: 32,
  password: true,
  connectPort: 9987,
};
/**
 * The server status that gsq must read if the TeamSpeak 3 server also sends its player list. It consists of STATUS and
 * the players in LIST.
 */
export const LISTED = { ...STATUS, playerList: [{ name: 'Ann' }, { name: 'B o|b' }, { name: 'J\u00f6rg' }] };

/** Passes text to a TeamSpeak 3 query in progress, as if the server had sent it. */
export const say = (exchange: StreamExchange, text: string): Step => exchange.receive(Buffer.from(text));
/** Returns a TeamSpeak 3 query in progress that has received the greeting of the server. */
export function greeted(): StreamExchange {
  const exchange = openStream(teamspeak3);
  say(exchange, GREETING);
  return exchange;
}
/** Returns a TeamSpeak 3 query in progress that has received the info of the voice server. */
export function informed(): StreamExchange {
  const exchange = greeted();
  say(exchange, ANSWERS);
  return exchange;
}
