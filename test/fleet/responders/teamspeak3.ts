import type { FleetServer, Responder } from '../responder.ts';

const ESCAPES: [string, string][] = [
  ['\\', '\\\\'],
  ['/', '\\/'],
  [' ', '\\s'],
  ['|', '\\p'],
  ['\n', '\\n'],
  ['\t', '\\t'],
];
const OK = 'error id=0 msg=ok\n\r';
const BANNER =
  'Welcome to the TeamSpeak 3 ServerQuery interface, type "help" for a list of commands and "help <command>" ' +
  'for information on a specific command.';

const escaped = (text: string): string =>
  ESCAPES.reduce((result, [plain, written]) => result.replaceAll(plain, written), text);

function answer(server: FleetServer, command: string): string {
  if (command === 'serverinfo') return `${serverInfo(server)}\n\r${OK}`;
  if (command === 'clientlist') return `${clientList(server)}\n\r${OK}`;
  if (command === `use port=${server.port}`) return OK;
  if (command.startsWith('use ')) return 'error id=1024 msg=invalid\\sserverID\n\r';
  return 'error id=256 msg=command\\snot\\sfound\n\r';
}

/**
 * Builds the answer to the TeamSpeak command `serverinfo`. The client that sent the command is included in two counts:
 * online clients and query clients.
 */
function serverInfo({ name, maxplayers, version, players, password, port }: FleetServer): string {
  return [
    'virtualserver_unique_identifier=CAFE=',
    `virtualserver_name=${escaped(name)}`,
    'virtualserver_welcomemessage',
    `virtualserver_version=${escaped(version)}`,
    `virtualserver_maxclients=${maxplayers}`,
    `virtualserver_clientsonline=${players.length + 1}`,
    `virtualserver_flag_password=${password ? 1 : 0}`,
    'virtualserver_queryclientsonline=1',
    `virtualserver_port=${port}`,
    'virtualserver_status=online',
  ].join(' ');
}

function clientList({ players }: FleetServer): string {
  const clients = [...players.map(({ name }) => ({ name, type: 0 })), { name: 'asker', type: 1 }];
  const entries = clients.map(({ name, type }, i) =>
    [`clid=${i}`, 'cid=1', `client_nickname=${escaped(name)}`, `client_type=${type}`].join(' '),
  );
  return entries.join('|');
}

/**
 * Fake server that answers like the ServerQuery port of TeamSpeak 3. It has one voice server, on a UDP port with the
 * same number as the ServerQuery port.
 */
export const teamspeak3: Responder = {
  transport: 'tcp',
  greeting: Buffer.from(`TS3\n\r${BANNER}\n\r`),
  respond: (server, request) => {
    const commands = request.toString('latin1').split('\n');
    if (commands.pop() !== '') return undefined;
    return [Buffer.from(commands.map(command => answer(server, command)).join(''))];
  },
};
