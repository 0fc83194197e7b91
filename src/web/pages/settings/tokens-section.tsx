import { useMe } from '../../data/me'
import { paths } from '../../paths'
import { Tokens } from './tokens'

/** The member's own tokens. */
export function TokensSection() {
  const { role } = useMe()
  const disabledReason =
    role === 'admin' || role === 'member' ? undefined : 'Only members and admins can create personal tokens.'
  return (
    <>
      <p className="meta">
        A token lets a program act on your behalf, with your permissions. See the{' '}
        <a href={paths.apiReference}>API reference</a>.
      </p>
      <Tokens owner={undefined} disabledReason={disabledReason} />
    </>
  )
}
