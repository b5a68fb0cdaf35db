import { createRequire } from 'node:module';

/** Loads a package that scripts/install-peers.sh installed. */
export const requirePeer = createRequire(new URL('../../../.peers/minecraft/', import.meta.url));

/** Of the game, as both server and visitor speak it. */
export const VERSION = '1.21.1';
