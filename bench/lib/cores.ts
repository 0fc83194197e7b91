import { availableParallelism } from 'node:os'

const canPin = process.platform === 'linux' && Bun.which('taskset') !== null && availableParallelism() >= 2

export const coresNote = canPin
  ? 'The server runs on one core and the load generator on another.'
  : 'The server and the load generator share all cores: there is no `taskset`, or only one core.'

/** 0 for servers, 1 for their clients. */
export type Cores = 0 | 1 | 'anywhere'

/** A command pinned to one core, where that is possible. */
export const onCore = (core: Cores, command: string[]): string[] =>
  canPin && core !== 'anywhere' ? ['taskset', '-c', String(core), ...command] : command
