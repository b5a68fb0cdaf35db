import { createRequire } from 'node:module';

/** Loads a package that scripts/install-peers.sh has installed. */
export const requirePeer = createRequire(new URL('../../../.peers/minecraft/', import.meta.url));

/** Minecraft version of both the server and the test player. */
export const VERSION = '1.21.1';
