#include "hyobscure/audit/attack/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace hyobscure::audit {
namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> all(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0U);
  return values;
}

TEST(Place, OfPeopleOnALineTheMedianIsNearest) {
  const std::vector<Place> places = {{0, 0}, {1, 0}, {2, 0}, {10, 0}};
  const std::vector<double> people = {1, 1, 1, 2};
  const NearestGuess guess = nearest_guess(places, people, all(4));
  EXPECT_THAT(guess.values, ElementsAre(2U));
  EXPECT_DOUBLE_EQ(guess.cost, 2 + 1 + 2 * 8);
  EXPECT_DOUBLE_EQ(km_off(places, guess, 3), 8);
  EXPECT_DOUBLE_EQ(km_off(places, guess, 2), 0);
}

// The most probable place is not the nearest one: two small towns beside each other against a larger one.
TEST(Place, NearestNeedNotBeTheMostProbable) {
  const std::vector<Place> places = {{0, 0}, {0, 1}, {30, -40}};
  const NearestGuess guess = nearest_guess(places, std::vector<double>{0.3, 0.25, 0.45}, all(3));
  EXPECT_THAT(guess.values, ElementsAre(0U));
}

TEST(Place, EquallyGoodGuessesAreDrawnByLot) {
  const std::vector<Place> places = {{0, 0}, {6, 8}};
  const NearestGuess guess = nearest_guess(places, std::vector<double>{2, 2}, all(2));
  EXPECT_THAT(guess.values, ElementsAre(0U, 1U));
  EXPECT_DOUBLE_EQ(km_off(places, guess, 0), 5);
}

TEST(Place, OnlyCandidatesAreGuessedAndCounted) {
  const std::vector<Place> places = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
  const std::vector<double> weights = {9, 0, 0, 0};
  const std::vector<std::uint32_t> right = {1, 2, 3};
  const NearestGuess guess = nearest_guess(places, weights, right);  // nothing known of these: their middle
  EXPECT_THAT(guess.values, ElementsAre(2U));
}

TEST(Place, IsTheBestOfAllGuessesPersonByPerson) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Place> places;
    std::vector<double> people;
    for (int value = 0; value < 7; ++value) {
      places.push_back({static_cast<double>(random() % 9), static_cast<double>(random() % 9)});
      people.push_back(static_cast<double>(random() % 4));
    }
    people.front() += 1;
    const auto distance = [&](std::size_t a, std::size_t b) {
      return std::hypot(places[a].east - places[b].east, places[a].north - places[b].north);
    };
    double least = INFINITY;
    for (std::size_t guess = 0; guess < 7; ++guess) {
      double sum = 0;
      for (std::size_t truth = 0; truth < 7; ++truth)
        for (int person = 0; person < people[truth]; ++person) sum += distance(guess, truth);
      least = std::min(least, sum);
    }
    const NearestGuess found = nearest_guess(places, people, all(7));
    EXPECT_NEAR(found.cost, least, 1e-9);
    double on_average = 0;
    for (std::uint32_t truth = 0; truth < 7; ++truth)
      on_average += people[truth] * km_off(places, found, truth);
    EXPECT_NEAR(on_average, least, 1e-9);
  }
}

}  // namespace
}  // namespace hyobscure::audit
