import assert from 'node:assert/strict';
import { type Environment, readYaml } from './container-files.ts';

/** A service of a Compose file: the fields that the tests read. */
export interface ComposeService {
  image: string;
  command?: string[];
  network_mode?: string;
  user: string;
  read_only: boolean;
  cap_drop: string[];
  security_opt: string[];
  privileged?: boolean;
  tmpfs?: string[];
  environment?: Environment;
  env_file?: string[];
  healthcheck: { test?: string[]; disable?: boolean };
  mem_limit: string;
  restart: string;
  stop_grace_period?: string;
  /**
   * The services that Compose starts before this service: a list of names, or a map from each name to a condition such
   * as `service_healthy`.
   */
  depends_on?: string[] | Record<string, { condition: string }>;
  volumes?: string[];
  secrets?: string[];
  ports?: string[];
  sysctls?: Record<string, string>;
}

/** A Compose file: the fields that the tests read. */
export interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
}

/** The health check command of each service that runs a process of gsq. */
export const HEALTH_CHECK = ['CMD', '/opt/gsq/deploy/container/healthcheck.sh'];

/** Reads a Compose file of the project. */
export function readCompose(path: string): ComposeFile {
  const [file] = readYaml<ComposeFile>(path);
  assert.ok(file, path);
  return file;
}

/** Returns the names of the services that Compose starts before this service. */
export function startedBefore({ depends_on = [] }: ComposeService): string[] {
  return Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
}

/**
 * Fails unless a Compose service runs as `user` (numeric user and group id) without Linux capabilities, on a read-only
 * file system and with a memory limit.
 */
export function assertNoRights(service: ComposeService, user: string): void {
  const { read_only, cap_drop, security_opt, privileged, mem_limit } = service;
  assert.deepEqual(
    { user: service.user, read_only, cap_drop, security_opt, privileged },
    {
      user,
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      privileged: undefined,
    },
  );
  assert.match(mem_limit, /^\d+[mg]$/);
}
