import { useSuspenseQuery } from '@tanstack/react-query'
import type { Me } from '../../contract/me'
import type { Author } from '../../contract/shapes'
import { cache, parley } from './parley'

export const meQuery = { queryKey: ['me'], queryFn: () => parley.me.get() }

/** The signed-in member. Within the shell there always is one. */
export const useMe = () => useSuspenseQuery(meQuery).data

/** The id of the signed-in member, outside of components. */
export const getMyId = () => cache.getQueryData<Me>(meQuery.queryKey)?.author.id

export const refreshMe = () => cache.invalidateQueries({ queryKey: meQuery.queryKey })

/**
 * What the signed-in member may do. Each reason is undefined if it is allowed. The server decides; this only disables
 * controls beforehand.
 */
export function usePermissions() {
  const me = useMe()
  const isAdmin = me.role === 'admin'
  const writeDeniedReason =
    me.role === 'viewer' ? 'Viewers can read but not write. An admin can change your role.' : undefined
  return {
    isAdmin,
    writeDeniedReason,
    manageDeniedReason: isAdmin ? undefined : 'Only admins can do this.',
    /** For editing or deleting what an author wrote. */
    changeDeniedReason: (author: Author) =>
      writeDeniedReason ??
      (author.id === me.author.id || isAdmin ? undefined : 'Only the author or an admin can do this.'),
  }
}
