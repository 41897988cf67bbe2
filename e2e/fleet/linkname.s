// SPDX-License-Identifier: Apache-2.0
// Lets karpenter.go declare a function without a body.
