/** URL of the module that a process preloads (`node --import`) to run TypeScript. */
export const typescript: string = new URL('./typescript.mjs', import.meta.url).href;

/** Returns the arguments with which node runs a script of this project, from any working directory. */
export function scriptArguments(path: string): string[] {
  return ['--import', typescript, path];
}
