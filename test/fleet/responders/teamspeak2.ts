import type { FleetServer, Responder } from '../responder.ts';

const OK = 'OK\r\n';

const lines = (texts: string[]): string => texts.map(text => `${text}\r\n`).join('');

function answer(server: FleetServer, command: string): string {
  if (command === `sel ${server.port}`) return OK;
  if (command === 'si') return serverInfo(server) + OK;
  if (command === 'gi') return lines(['total_server_platform=Linux', versionLine(server)]) + OK;
  if (command === 'pl') return playerList(server) + OK;
  return command.startsWith('sel ') ? 'ERROR, invalid id\r\n' : 'ERROR, invalid command\r\n';
}

function versionLine({ version }: FleetServer): string {
  return `total_server_version=${version}`;
}

function serverInfo({ name, maxplayers, players, password, port }: FleetServer): string {
  return lines([
    'server_id=1',
    `server_name=${name.replace(/[\r\n]/g, ' ')}`,
    'server_platform=Linux',
    'server_welcomemessage=',
    `server_password=${password ? 1 : 0}`,
    `server_udpport=${port}`,
    `server_maxusers=${maxplayers}`,
    `server_currentusers=${players.length}`,
    'server_currentchannels=3',
  ]);
}

function playerList({ players }: FleetServer): string {
  const head = 'p_id c_id ps bs pr br pl ping logintime idletime cprivs pprivs pflags ip nick loginname';
  const rows = players.map(({ name, time }, i) =>
    [
      i,
      1,
      0,
      0,
      0,
      0,
      0,
      20,
      time,
      0,
      0,
      0,
      0,
      '"0.0.0.0"',
      `"${name.replace(/[\t\r\n]/g, ' ')}"`,
      '""',
    ].join('\t'),
  );
  return lines([head.replaceAll(' ', '\t'), ...rows]);
}

/**
 * Fake server that answers like the query port of TeamSpeak 2. It has one voice server, on a UDP port with the same
 * number as the query port.
 */
export const teamspeak2: Responder = {
  transport: 'tcp',
  greeting: Buffer.from('[TS]\r\n'),
  respond: (server, request) => {
    const commands = request.toString('latin1').split('\n');
    if (commands.pop() !== '') return undefined;
    return [Buffer.from(commands.map(command => answer(server, command)).join(''))];
  },
};
