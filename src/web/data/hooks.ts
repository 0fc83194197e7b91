import { useQuery } from '@tanstack/react-query'
import type { Input } from '../../contract'
import type { Hook, HookPost, NewHook } from '../../contract/hooks'
import { useMe } from './me'
import { loadAll } from './pages'
import { cache, parley } from './parley'

const HOOKS = ['hooks']

/** Incoming webhooks: all of the workspace for admins, else the member's own. */
export const useHooks = () =>
  useQuery({ queryKey: HOOKS, queryFn: () => loadAll(parley.hooks.list()), refetchOnMount: 'always' })

/** Why only the owner can do something; undefined for the owner. */
export function useNotHookOwnerReason({ owner }: Hook): string | undefined {
  const me = useMe()
  return owner.id === me.author.id ? undefined : `Only the owner, ${owner.name}, can do this.`
}

export const refetch = () => cache.invalidateQueries({ queryKey: HOOKS })

/** The list is read again after each change: no event shows where a hook writes. */
async function thenRefetch<T>(change: Promise<T>): Promise<T> {
  const result = await change
  await refetch()
  return result
}

export const createHook = (input: Input<'hooks.create'>): Promise<NewHook> => thenRefetch(parley.hooks.create(input))
export const renameHook = ({ id }: Hook, name: string) => thenRefetch(parley.hooks.update({ id, name }))
export const renewHook = ({ id }: Hook): Promise<NewHook> => thenRefetch(parley.hooks.rotateSecret({ id }))
export const deleteHook = ({ id }: Hook) => thenRefetch(parley.hooks.delete({ id }))
export const testHook = ({ id }: Hook): Promise<HookPost> => thenRefetch(parley.hooks.test({ id }))
export const setHookPicture = async ({ id }: Hook, file: Blob) => {
  await thenRefetch(parley.hooks.setAvatar({ id, file }))
}
export const removeHookPicture = async ({ id }: Hook) => {
  await thenRefetch(parley.hooks.deleteAvatar({ id }))
}
