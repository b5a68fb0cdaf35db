import type { FleetServer, Responder } from '../responder.ts';

/** Maximum number of text bytes in a packet of Unreal Tournament. Further text is sent in the next packet. */
const MAX_CONTENT = 1000;

/** Fake server that answers like Unreal Tournament. It removes backslashes from names, and reports no play times. */
export const gamespy1: Responder = {
  transport: 'udp',
  respond: (server, request) => (request.toString('latin1').startsWith('\\status\\') ? reply(server) : []),
};

function reply(server: FleetServer): Buffer[] {
  const contents = [''];
  for (const section of sections(server)) {
    const current = contents.pop() ?? '';
    const isFull = current !== '' && Buffer.byteLength(current + section) > MAX_CONTENT;
    contents.push(...(isFull ? [current, section] : [current + section]));
  }
  return contents.map((content, i) => {
    const final = i === contents.length - 1 ? '\\final\\' : '';
    return Buffer.from(`${content}\\queryid\\${(server.port % 100) + 1}.${i + 1}${final}`);
  });
}

function sections(server: FleetServer): string[] {
  const { name, map, version, maxplayers, password, port, players } = server;
  const info = { hostname: name, hostport: port, mapname: map, numplayers: players.length, maxplayers };
  return [
    pairs({ gamename: 'ut', gamever: version, minnetver: '432', location: 0 }),
    pairs({ ...info, gamemode: 'openplaying', gamever: version }),
    pairs({ mutators: '', password: password ? 'True' : 'False', timelimit: 15 }),
    ...players.map(({ name, score }, i) =>
      pairs({ [`player_${i}`]: name, [`frags_${i}`]: score, [`ping_${i}`]: ' 48', [`team_${i}`]: 255 }),
    ),
  ];
}

function pairs(facts: Record<string, string | number>): string {
  return Object.entries(facts)
    .map(([key, value]) => `\\${key}\\${String(value).replaceAll('\\', '')}`)
    .join('');
}
