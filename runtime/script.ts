/** URL of the module that a process preloads (`node --import`) in order to run TypeScript. */
export const typescript: string = import.meta.resolve('./typescript.mjs');

/** Arguments that make node run a script of this project, whatever the working directory is. */
export function scriptArguments(path: string): string[] {
  return ['--import', typescript, path];
}
