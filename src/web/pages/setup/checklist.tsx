import { useMutation } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useMe } from '../../data/me'
import { finishSetup, useSetupState } from '../../data/workspace'
import { Button } from '../../parts/button'
import { Icon } from '../../parts/icon'
import { notifyProblem } from '../../parts/notices'
import { paths } from '../../paths'

interface Step {
  title: string
  hint: string
  to: string
  isDone: boolean
}

/** What an admin does first in a new workspace. Each step links to where it is done. */
export default function Checklist() {
  const { workspace } = useMe()
  const state = useSetupState()
  const finish = useMutation({
    mutationFn: finishSetup,
    onError: (error) => notifyProblem('The checklist is still there.', error),
  })
  if (!state) return null
  const steps: Step[] = [
    {
      title: 'Name your workspace',
      hint: 'Add an icon, too, so that everyone knows where they are.',
      to: paths.settings('workspace'),
      isDone: state.isNamed,
    },
    {
      title: 'Set a password',
      hint: 'Without one, you need a new link each time you sign in.',
      to: paths.settings('security'),
      isDone: state.hasPassword,
    },
    {
      title: 'Invite your team',
      hint: 'Each person gets a sign-in link of their own.',
      to: paths.invite,
      isDone: state.hasInvited,
    },
    {
      title: 'Create a channel',
      hint: 'One for each project, team or topic.',
      to: paths.newChannel,
      isDone: state.hasChannel,
    },
  ]
  const done = steps.filter(({ isDone }) => isDone).length
  const isAllDone = done === steps.length
  return (
    <section className="checklist" aria-labelledby="checklist-title">
      <div className="spread">
        <div>
          <h2 id="checklist-title">{isAllDone ? 'You’re all set' : `Set up ${workspace.name}`}</h2>
          <p className="meta">{isAllDone ? 'Your workspace is ready.' : `${done} of ${steps.length} done`}</p>
        </div>
        {isAllDone ? (
          <Button variant="primary" disabled={finish.isPending} onClick={() => finish.mutate()}>
            Done
          </Button>
        ) : (
          <Button
            icon="close"
            variant="plain"
            label="Dismiss checklist"
            disabled={finish.isPending}
            onClick={() => finish.mutate()}
          />
        )}
      </div>
      <ol>
        {steps.map((step) => (
          <StepRow key={step.title} step={step} />
        ))}
      </ol>
    </section>
  )
}

const StepRow = ({ step: { title, hint, to, isDone } }: { step: Step }) => (
  <li className={isDone ? 'done' : ''}>
    <span className="step-mark" aria-hidden="true">
      {isDone && <Icon name="check" size={12} />}
    </span>
    <div>
      <p>
        {isDone ? title : <Link href={to}>{title}</Link>}
        {isDone && <span className="visually-hidden"> (done)</span>}
      </p>
      {!isDone && <p className="meta">{hint}</p>}
    </div>
  </li>
)
