import { useMutation } from '@tanstack/react-query'
import type { Session } from '../../../../contract/sessions'
import { endSession, signOutEverywhere, useSessions } from '../../../data/sessions'
import { describeUnsent } from '../../../data/waiting'
import { Button } from '../../../parts/button'
import { useConfirm } from '../../../parts/dialog'
import { notifyProblem } from '../../../parts/notices'
import { ProblemNote } from '../../../parts/states'
import { Time } from '../../../parts/time'
import { startSigningOut } from '../../../shell/overlays'
import { Expiry, RowSkeleton } from '../parts'
import { PasswordForm } from './password-form'

/** The password, and the browsers that are signed in. */
export function SecuritySection() {
  const sessions = useSessions()
  return (
    <>
      <PasswordForm current={sessions.data?.find(({ is_current }) => is_current)} />
      <section className="form" aria-label="Active sessions">
        <h2>Active sessions</h2>
        {sessions.error && !sessions.data && (
          <ProblemNote error={sessions.error} retry={() => void sessions.refetch()} />
        )}
        {!sessions.data && !sessions.error && <RowSkeleton what="sessions" />}
        {sessions.data && (
          <ul className="rows" aria-label="Sessions">
            {[...sessions.data].sort(compareSessions).map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        )}
        <SignOutButtons />
      </section>
    </>
  )
}

const compareSessions = (a: Session, b: Session) =>
  Number(b.is_current) - Number(a.is_current) || b.last_used_at.localeCompare(a.last_used_at)

const SessionRow = ({ session }: { session: Session }) => (
  <li className="rows-item">
    <div>
      <p className="rows-name row">
        {session.name}
        {session.is_current && <span className="chip good">This browser</span>}
      </p>
      <p className="meta">
        Signed in <Time at={session.created_at} /> · last used <Time at={session.last_used_at} /> ·{' '}
        <Expiry at={session.expires_at} />
      </p>
    </div>
    {!session.is_current && (
      <Button variant="danger" label={`End session of ${session.name}`} onClick={() => void endSession(session)}>
        End
      </Button>
    )}
  </li>
)

function SignOutButtons() {
  const [question, ask] = useConfirm()
  const signingOut = useMutation({
    mutationFn: signOutEverywhere,
    onError: (error) => notifyProblem("Couldn't sign out.", error),
  })
  return (
    <>
      <div className="row">
        <Button onClick={startSigningOut}>Sign out</Button>
        <Button
          variant="danger"
          disabled={signingOut.isPending}
          onClick={() =>
            ask({
              title: 'Sign out everywhere?',
              text: `Every browser is signed out, including this one, and your sign-in link stops working. Access tokens are kept. ${describeUnsent() ?? ''}`,
              label: 'Sign out everywhere',
              run: () => signingOut.mutate(),
            })
          }
        >
          Sign out everywhere
        </Button>
      </div>
      <p className="meta">Signing out also deletes the drafts saved in this browser.</p>
      {question}
    </>
  )
}
