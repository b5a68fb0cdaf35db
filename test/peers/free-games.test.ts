import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Child } from '../system/child.ts';
import { enterOwnNetwork } from '../system/network-namespace.ts';
import { freePort } from './free-port.ts';
import { followLives, type Peer, settled } from './life.ts';
import {
  armagetron,
  bzfquery,
  chocolateQuery,
  type Facts,
  quakestatCube,
  quakestatRedEclipse,
  quakestatTee,
} from './references.ts';

const RED_ECLIPSE = fileURLToPath(
  new URL('../../.peers/redeclipse/usr/lib/games/redeclipse', import.meta.url),
);

/** All processes that the tests have started. They are stopped after the tests. */
const children: Child[] = [];

async function startChild(...argv: Parameters<typeof Child.start>): Promise<Child> {
  const child = await Child.start(...argv);
  children.push(child);
  return child;
}

/**
 * Starts a game server on a free port. `argv` returns the arguments of the server. `ask` queries it with a client that
 * is not part of gsq.
 */
async function peer(
  gameId: string,
  command: string,
  argv: (port: number, home: string) => string[] | Promise<string[]>,
  ask: (port: number) => Promise<Facts | undefined>,
): Promise<Peer> {
  const port = await freePort();
  const child = await startChild(command, home => argv(port, home));
  return { gameId, port, child, ask: () => ask(port) };
}

// Moves the tests into a network namespace of their own, so that no server can reach a public master server.
before(enterOwnNetwork);

test('gsq reads the same values from six open-source game servers as independent query tools do', async t => {
  t.after(() => Promise.all(children.map(child => child.stop('SIGKILL'))));
  const bzflag = await peer('bzflag', '/usr/games/bzfs', bzfs, bzfquery);
  const peers = [
    bzflag,
    await peer('sauerbraten', '/usr/games/cube2-server', cube2, quakestatCube),
    await peer('redeclipse', 'env', redeclipse, quakestatRedEclipse),
    await peer('armagetronadvanced', '/usr/games/armagetronad-dedicated.real', armagetronad, armagetron),
    await peer('chocolatedoom', '/usr/games/chocolate-server', chocolate, chocolateQuery),
    await peer('teeworlds', '/usr/games/DDNet-Server', ddnet, quakestatTee),
  ];
  for (const { gameId, port, child, ask } of peers) await settled({ gameId, port, child, ask }, 0);
  await startChild('/usr/games/bzadmin', () => ['-ui', 'stdout', `visitor@127.0.0.1:${bzflag.port}`]);
  await settled(bzflag, 1);
  await followLives(peers);
});

/**
 * Returns the command-line arguments of a BZFlag server. The arguments set no title, so that BZFlag does not announce
 * the server publicly.
 */
function bzfs(port: number): string[] {
  return ['-i', '127.0.0.1', '-p', `${port}`, '-mp', '9,2,2,2,2,3', '-noMasterBanlist', '-q'];
}

/**
 * Returns the arguments of a Sauerbraten server. The option -m without a name prevents announcements to a master
 * server.
 */
function cube2(port: number, home: string): string[] {
  return [`-q${home}`, '-i127.0.0.1', `-j${port}`, '-nPeer Cube', '-c9', '-m'];
}

async function redeclipse(port: number, home: string): Promise<string[]> {
  const settings = [
    ...['servertype 1', 'serverip "127.0.0.1"', `serverport ${port}`],
    ...['sv_serverclients 7', 'sv_serverdesc "Peer Eclipse"'],
  ];
  await writeFile(join(home, 'servinit.cfg'), `${settings.join('\n')}\n`);
  return ['--chdir', RED_ECLIPSE, './redeclipse-server', `-h${home}`];
}

async function armagetronad(port: number, home: string): Promise<string[]> {
  const settings = [
    ...['TALK_TO_MASTER 0', 'SERVER_IP 127.0.0.1', `SERVER_PORT ${port}`],
    ...['SERVER_NAME 0xff0000Peer 0xRESETTGrid', 'MAX_CLIENTS 7'],
  ];
  await mkdir(join(home, 'var'));
  await writeFile(join(home, 'autoexec.cfg'), `${settings.join('\n')}\n`);
  return [
    ...['--datadir', '/usr/share/games/armagetronad', '--configdir', '/etc/armagetronad', '--daemon'],
    ...['--userdatadir', home, '--userconfigdir', home, '--vardir', join(home, 'var')],
  ];
}

/** Returns the arguments of a Chocolate Doom server that does not announce itself to a master server. */
function chocolate(port: number): string[] {
  return ['-privateserver', '-servername', 'Peer Doom', '-port', `${port}`];
}

/**
 * Returns the arguments of a DDNet server with 9 slots. The number must not be over 16, because DDNet reports at most
 * 16 slots in the protocol that quakestat uses.
 */
function ddnet(port: number): string[] {
  return [
    'sv_name Peer Race',
    `sv_port ${port}`,
    'bindaddr 127.0.0.1',
    'sv_ipv4only 1',
    'sv_register 0',
    'sv_max_clients 9',
    // Keeps the score database of DDNet in memory. By default, DDNet writes it to a file, which the test would not
    // delete.
    'sv_sqlite_file :memory:',
  ];
}
