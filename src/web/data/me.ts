import { useSuspenseQuery } from '@tanstack/react-query'
import type { Author } from '../../contract/authors'
import { cache, parley } from './parley'

export const meQuery = { queryKey: ['me'], queryFn: () => parley.me.get() }

/** Whoever is signed in. Below the shell there always is someone. */
export const useMe = () => useSuspenseQuery(meQuery).data

export const refreshMe = () => cache.invalidateQueries({ queryKey: meQuery.queryKey })

/** Why someone may not do something; undefined where they may. The server decides; this says it beforehand. */
export function useRights() {
  const me = useMe()
  const isAdmin = me.role === 'admin'
  const toWrite = me.role === 'viewer' ? 'Viewers can read, not write. An admin can change your role.' : undefined
  return {
    isAdmin,
    toWrite,
    toManage: isAdmin ? undefined : 'Only admins can do this.',
    /** To edit or delete what someone wrote. */
    toChange: (author: Author) =>
      toWrite ?? (author.id === me.author.id || isAdmin ? undefined : 'Only its author or an admin can do this.'),
  }
}
