import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { Endpoint } from '../../runtime/endpoint.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { settings } from '../../runtime/settings.ts';
import { OPS_ADDR, type ProcessName } from '../system/stack-settings.ts';

const root = new URL('../../', import.meta.url);
export const readProjectFile = (path: string): string => readFileSync(new URL(path, root), 'utf8');
export const { version } = JSON.parse(readProjectFile('package.json')) as { version: string };

/** Environment variables of a container. */
export type Environment = Record<string, string>;

/**
 * Reads the documents of a YAML file. Docker Compose and Kubernetes read YAML 1.1, in which 0440 is an octal number.
 * Throws if the file is not valid YAML.
 */
export function readYaml<T>(path: string): T[] {
  return parseAllDocuments(readProjectFile(path), { version: '1.1' }).map(document => {
    const [error] = document.errors;
    if (error) throw new Error(`${path}: ${error.message}`);
    return document.toJS() as T;
  });
}

/** Returns the names of the files in a folder of the project, such as `deploy/kubernetes`. */
export const filesIn = (folder: string): string[] => readdirSync(new URL(folder, root)).sort();

/** Returns the instructions of the Containerfile, each on one line, without comments. */
export function imageInstructions(): string[] {
  const text = readProjectFile('deploy/container/Containerfile').replace(/^#.*\n/gm, '');
  return text
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter(line => line !== '');
}

/**
 * Returns the arguments of all instructions with this name in the Containerfile, for example of all `COPY`
 * instructions.
 */
export function argumentsOf(name: string): string[] {
  return imageInstructions()
    .filter(line => line.startsWith(`${name} `))
    .map(line => line.slice(name.length + 1).trim());
}

/** Returns the environment variables that the image sets (`ENV` in the Containerfile). */
export function imageEnvironment(): Environment {
  return Object.fromEntries(
    argumentsOf('ENV').flatMap(line => line.split(' ').map(word => word.split('=', 2) as [string, string])),
  );
}

/**
 * Returns the paths that the Containerfile copies from the project. Some of them are needed only to build the image.
 */
export function copiedPaths(): string[] {
  const copied = argumentsOf('COPY').filter(line => !line.startsWith('--from'));
  return [...new Set(copied.flatMap(line => line.split(' ').slice(0, -1)))];
}

/** The addresses on which a process of gsq listens, keyed by the name that deploy/kubernetes gives the port. */
export type Ports = Record<string, Endpoint>;

/**
 * Returns the addresses on which a process of gsq listens if it has these environment variables. Throws ConfigError if
 * a GSQ_* variable is unknown or its value is invalid. Does not read secret files.
 */
export function listeningPorts(name: ProcessName, env: Environment): Ports {
  const readable = Object.fromEntries(Object.entries(env).filter(([key]) => !isSecretFile(key)));
  const config = loadConfig(settings, readable, []);
  const ops = config[OPS_ADDR[name]];
  if (name === 'core') return { grpc: config.GSQ_GRPC_ADDR, internal: config.GSQ_INTERNAL_ADDR, ops };
  return name === 'gateway' ? { http: config.GSQ_HTTP_ADDR, ops } : { ops };
}

/** Returns true if a variable contains the path of a file with a secret setting, such as GSQ_INTERNAL_SECRET_FILE. */
export function isSecretFile(variable: string): boolean {
  const base = variable.replace(/_FILE$/, '');
  return (
    base !== variable && Object.entries(settings).some(([name, one]) => name === base && 'secret' in one)
  );
}
