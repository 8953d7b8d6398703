// The ten lessons, in the order in which they build on each other.

import { ackCompression } from "./ack-compression";
import { aimd } from "./aimd";
import { bbr } from "./bbr";
import { bufferbloat } from "./bufferbloat";
import { fairness } from "./fairness";
import type { Lesson } from "./lesson";
import { queue } from "./queue";
import { randomLoss } from "./random-loss";
import { rttUnfairness } from "./rtt-unfairness";
import { slowStart } from "./slow-start";
import { westwoodEstimate } from "./westwood";

export const LESSONS: readonly Lesson[] = [
  slowStart,
  aimd,
  queue,
  randomLoss,
  westwoodEstimate,
  ackCompression,
  fairness,
  bufferbloat,
  rttUnfairness,
  bbr,
];
