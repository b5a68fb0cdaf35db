// Starts a Minecraft Java server on 127.0.0.1, without account checks. The first argument is the port.

import { requirePeer, VERSION } from './package.ts';

const { createMCServer } = requirePeer('flying-squid');

createMCServer({
  ...requirePeer('flying-squid/config/default-settings.json'),
  version: VERSION,
  host: '127.0.0.1',
  port: Number(process.argv[2]),
  motd: '§aPeer §lWorld',
  'max-players': 17,
  'online-mode': false,
  logging: false,
  worldFolder: undefined,
  'view-distance': 2,
  generation: { name: 'superflat', options: { worldHeight: 80 } },
});
