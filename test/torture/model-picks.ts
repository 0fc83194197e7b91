import type { WriteName } from '../operations/entry'
import type { Random } from '../random-writes'
import type { Person as Client } from '../world'
import type * as m from './model'

/** A write, for the server and for the model. */
export interface RandomWrite {
  /** Inboxes have to be told of everything before. */
  isAfterFilling?: boolean
  /** Sends it to the server. */
  ask(client: Client): Promise<unknown>
  /** Changes the model, or throws a refusal. `answer` is the server's, for its ids. */
  apply(answer: { id: string; thread_id?: string; version?: number }, now: number): void
}

export type Plan = (model: m.Model, who: m.Person, random: Random, text: string) => RandomWrite

/** By operation. */
export type Plans = { [O in WriteName]: Plan }

export const NOTHING = 'none_00000000000000000000000000'
export const idOf = (thing: { id: string } | undefined) => thing?.id ?? NOTHING

/** A random element, in most cases a valid one. */
export function pickMostly<T>(list: readonly T[], random: Random, isValid: (thing: T) => boolean): T | undefined {
  const good = random.below(6) > 0 ? list.filter(isValid) : []
  const from = good.length > 0 ? good : list
  return from.length > 0 ? random.pick(from) : undefined
}

/** The same, or undefined. */
export const pickOrNone = <T>(list: readonly T[], random: Random, isValid: (thing: T) => boolean): T | undefined =>
  random.below(2) ? pickMostly(list, random, isValid) : undefined
